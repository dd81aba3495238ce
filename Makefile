# lab · test · notebooks · site · slides · student · solutions · grade · hub-test · bench: each makes its environment.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
TESTED := .venv/tested
SITE := .venv/site
COLAB := .venv-colab/ready
HUB := .venv/hub
PIP := -m pip install --disable-pip-version-check --quiet --no-compile
unexport PYTHONDONTWRITEBYTECODE  # what is installed is compiled, once, when it is first imported
PYTEST := -m pytest --nbval --nbval-current-env --doctest-modules --numprocesses auto \
	--dist loadscope --no-loadscope-reorder --ignore pe_helpers/no_delay.py
# no waiting on the socket between page and kernel; `make lab NO_DELAY=` leaves Jupyter's own connection
NO_DELAY := --ServerApp.kernel_websocket_connection_class=pe_helpers.no_delay.NoDelayConnection

.PHONY: lab test test-colab test-gpu notebooks student solutions grade hub-test bench site slides

# one test process for each core
test test-colab: export OMP_NUM_THREADS = 1
# torch is the same: what `make test` trained here is not trained again (a comment behind would add spaces)
test-colab: export PE_KEPT_MODELS = 1

lab: $(READY)  ## open the course:  make lab ARGS="--no-browser"
	$(BIN)/jupyter lab notebooks/00_start_here.ipynb $(NO_DELAY) $(ARGS)

test: $(TESTED)  ## lint, format, the package's types, tests and examples, every notebook with its outputs compared
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python $(PYTEST) --ignore tests/classic $(ARGS)

test-colab: $(COLAB)  ## the same tests with Colab's versions
	.venv-colab/bin/python $(PYTEST) --ignore tests/browser --ignore tests/test_grading.py $(ARGS)

test-gpu: $(TESTED)  ## the notebooks with GPU cells; fails where torch sees no CUDA
	PE_REQUIRE_GPU=1 $(BIN)/python $(PYTEST) $(shell grep -l '"gpu"' notebooks/*.ipynb) $(ARGS)

notebooks: $(TESTED)  ## run every notebook and store it:  make notebooks REPO=https://github.com/…/…
	$(BIN)/python tools/refresh_notebooks.py $(if $(REPO),--repo $(REPO)) $(ARGS)

student solutions: $(TESTED)  ## the editions for a class, in dist/
	$(BIN)/python tools/editions.py $@

grade: $(TESTED)  ## what students handed in:  make grade SUBMISSIONS=folder ARGS="--out grades"
	$(BIN)/python tools/grade.py $(SUBMISSIONS) $(ARGS)

hub-test: $(HUB)  ## a class on a real JupyterHub with its proxy; needs node 20 and npm:  make hub-test ARGS="--users 20"
	PYTHONPATH=benchmarks $(BIN)/python deploy/hub_test.py $(ARGS)

bench: $(TESTED)  ## the figures of benchmarks/README.md, measured here
	$(BIN)/python $(PIP) -r benchmarks/requirements.txt
	for script in encoding live word_vectors rotary classroom; do $(BIN)/python benchmarks/$$script.py || exit 1; done
	for script in live_sliders live_browser; do PYTHONPATH=tools $(BIN)/python benchmarks/$$script.py || exit 1; done
	PYTHONPATH=tools:site $(BIN)/python benchmarks/site_figures.py --build

slides: site  ## each notebook's questions and live figures for a projector: _site/08_rotary_slides.html …
site: $(SITE)  ## the course as pages, every figure live, in _site/:  python3 -m http.server -d _site
	$(BIN)/python site/pages.py $(ARGS)

$(READY): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "This course needs Python 3.11 or newer: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv .venv
	$(BIN)/python $(PIP) -r requirements.txt
	$(BIN)/python $(PIP) --no-deps --editable .
	$(BIN)/jupyter labextension disable @jupyterlab/apputils-extension:announcements  # asks whether to fetch news
	touch $@

$(SITE): $(READY) site/requirements.txt
	$(BIN)/python $(PIP) -r site/requirements.txt
	touch $@

$(TESTED): $(READY) tests/requirements.txt site/requirements.txt
	$(BIN)/python $(PIP) -r tests/requirements.txt
	touch $@

$(COLAB): tests/colab-requirements.txt pyproject.toml
	$(PYTHON) -m venv .venv-colab
	.venv-colab/bin/python $(PIP) -r tests/colab-requirements.txt
	.venv-colab/bin/python $(PIP) --no-deps --editable .
	touch $@

$(HUB): $(READY) tests/hub-requirements.txt
	$(BIN)/python $(PIP) -r tests/hub-requirements.txt
	npm install --prefix .venv --no-audit --no-fund --loglevel error configurable-http-proxy@5.3.0
	touch $@
