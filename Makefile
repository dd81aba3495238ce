# lab · test · notebooks · bench: each makes .venv first where it is missing or out of date.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready

.PHONY: lab test notebooks bench

lab: $(READY)  ## open the course:  make lab ARGS="--no-browser"
	$(BIN)/jupyter lab notebooks/00_start_here.ipynb $(ARGS)

test: $(READY)  ## lint, format, the package's tests, every notebook with its outputs compared
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pytest --nbval --nbval-current-env --numprocesses auto --dist loadscope $(ARGS)

notebooks: $(READY)  ## run every notebook and store it:  make notebooks REPO=https://github.com/…/…
	$(BIN)/python tools/refresh_notebooks.py $(if $(REPO),--repo $(REPO)) $(ARGS)

bench: $(READY)  ## the figures of benchmarks/README.md, measured here
	for script in benchmarks/*.py; do $(BIN)/python $$script || exit 1; done

$(READY): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "This course needs Python 3.11 or newer; PYTHON=python3.12 make … names another one.")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --disable-pip-version-check --quiet -r requirements.txt
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --editable .
	touch $@
