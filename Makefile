# lab · quick · check · test · test-oldest · notebooks · site · slides · student · solutions · grade · hub-test · bench: each makes its environment.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
TESTED := .venv/tested
SITE := .venv/site
COLAB := .venv-colab/ready
HUB := .venv/hub
OLDEST := .venv-oldest/ready
PIP := -m pip install --disable-pip-version-check --quiet --no-compile
NPM := npm install --prefix .venv --no-audit --no-fund --loglevel error
# what sets the formulas of the site
KATEX := katex@0.16.22
# what VS Code's page of a notebook loads; nothing that they depend on is needed: each is one file
VSCODE := @vscode/jupyter-ipywidgets8@1.0.9 @jupyterlab/services@7.6.6 requirejs@2.3.8
unexport PYTHONDONTWRITEBYTECODE  # what is installed is compiled, once, when it is first imported
PYTEST := -m pytest --nbval --nbval-current-env --doctest-modules --numprocesses auto \
	--dist loadscope --no-loadscope-reorder -r fER
# no waiting on the socket between page and kernel, no other icon at every message (deploy/lab/labconfig), and what
# the course adds to JupyterLab (deploy/lab/labextensions);
# `make lab NO_DELAY=` leaves Jupyter's own settings
NO_DELAY := JUPYTER_CONFIG_PATH=$(dir $(abspath $(lastword $(MAKEFILE_LIST))))deploy/lab

# what `make quick` leaves out: browsers, whole notebooks, and what tests/conftest.py calls slow
QUICK := $(foreach part,*/browser/* */classic/* tests/test_notebook_*,--ignore-glob '$(part)') -m 'not slow'

.PHONY: lab quick check test test-colab test-oldest test-gpu notebooks student solutions grade hub-test bench site slides

# what Colab has not, or what its versions do not change: browsers, Sphinx, texts, editions, servers, tables, GPUs;
# and what runs the notebooks once more: nbval runs them there, and each claims in its cells what its text says
NOT_COLAB := tests/browser live_figures/tests/browser live_figures/sphinx.py $(foreach part,claims collect deploy devices editions grading \
	grading_attacks grading_files language_evidence model_configs no_delay publish teaching,tests/test_$(part).py) $(wildcard tests/test_notebook_*.py)

# one test process for each core
quick check test test-colab: export OMP_NUM_THREADS = 1
# memory that torch gives back stays with the process (glibc): a model asks for the same again at once
quick check test test-colab: export MALLOC_MMAP_THRESHOLD_ = 4294967296
quick check test test-colab: export MALLOC_TRIM_THRESHOLD_ = 4294967296
# torch is the same: what `make test` trained here is not trained again (a comment behind would add spaces)
test-colab: export PE_KEPT_MODELS = 1

lab: $(READY)  ## open the course:  make lab ARGS="--no-browser"
	$(NO_DELAY) $(BIN)/jupyter lab notebooks/00_start_here.ipynb $(ARGS)

quick: $(TESTED)  ## while you work: lint, types, unit tests and examples; no browser, no notebook, no training
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python -m pytest --doctest-modules --numprocesses auto --quiet pe_helpers live_figures tests $(QUICK) $(ARGS)

check: $(TESTED)  ## a fast look at one notebook, its exercises and its exam question:  make check NB=02
	$(BIN)/ruff check notebooks/$(NB)_*.ipynb
	$(BIN)/ruff format --check notebooks/$(NB)_*.ipynb
	$(BIN)/python $(PYTEST) notebooks/$(NB)_*.ipynb tests \
		-k '$(NB)_ and not bfloat$(NB)_ or teaching or glossary or every_notebook or no_gap' $(ARGS)

test: $(TESTED)  ## lint, format, the package's types, tests and examples, every notebook with its outputs compared
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python $(PYTEST) --ignore live_figures/tests/classic $(ARGS)

test-colab: $(COLAB)  ## the notebooks, the packages and their tests with Colab's versions
	.venv-colab/bin/python $(PYTEST) $(addprefix --ignore ,$(NOT_COLAB)) $(ARGS)

test-oldest: $(OLDEST)  ## the engine with the oldest versions that it allows
	.venv-oldest/bin/python -m pytest -c live_figures/pyproject.toml --rootdir . live_figures/tests/browser/test_page.py \
		$(foreach part,live recorder recording public,live_figures/tests/test_$(part).py) $(ARGS)

test-gpu: $(TESTED)  ## the notebooks with GPU cells, and what the package gives there; fails where torch sees no CUDA
	PE_REQUIRE_GPU=1 $(BIN)/python $(PYTEST) tests/test_devices.py tests/test_layers.py \
		$(shell grep -l '"gpu"' notebooks/*.ipynb) $(ARGS)

notebooks: $(TESTED)  ## run every notebook and store it:  make notebooks REPO=https://github.com/…/…
	$(BIN)/python -m tools.refresh_notebooks $(if $(REPO),--repo $(REPO)) $(ARGS)

student solutions: $(TESTED)  ## the editions for a class, in dist/:  make student REPO=https://github.com/…/…
	$(BIN)/python -m tools.editions $@ $(if $(REPO),--repo $(REPO)) $(ARGS)

grade: $(TESTED)  ## what students handed in:  make grade SUBMISSIONS=folder ARGS="--out grades"
	$(BIN)/python -m tools.grade $(if $(SUBMISSIONS),"$(SUBMISSIONS)") $(ARGS)

hub-test: $(HUB)  ## a class on a real JupyterHub with its proxy; needs node 20 and npm:  make hub-test ARGS="--users 20"
	$(BIN)/python -m tests.hub.hub_test $(ARGS)

bench: $(TESTED)  ## the figures of benchmarks/README.md, measured here
	$(BIN)/python $(PIP) -r benchmarks/requirements.txt
	for script in encoding live word_vectors rotary classroom live_sliders live_browser; do \
		$(BIN)/python -m benchmarks.$$script || exit 1; done
	$(BIN)/python -m benchmarks.site_figures --build

slides: site  ## each notebook as slides for a projector, with its live figures: _site/08_rotary_slides.html …
site: $(SITE)  ## the course as pages, every figure live, in _site/:  python3 -m http.server -d _site
	$(BIN)/python -m tools.build_site $(ARGS)

$(READY): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "This course needs Python 3.11 or newer: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv .venv
	$(BIN)/python $(PIP) -r requirements.txt
	$(BIN)/python $(PIP) --no-deps --editable .
	$(BIN)/jupyter labextension disable @jupyterlab/apputils-extension:announcements  # asks whether to fetch news
	touch $@

$(SITE): $(READY) site/requirements.txt
	$(BIN)/python $(PIP) -r site/requirements.txt
	$(NPM) $(KATEX)
	touch $@

$(TESTED): $(READY) tests/requirements.txt site/requirements.txt
	$(BIN)/python $(PIP) -r tests/requirements.txt
	if command -v npm >/dev/null; then $(NPM) typescript@5.9.3 $(KATEX); fi  # checks the types of page.js
	rm -rf .venv/vscode && mkdir .venv/vscode
	if command -v npm >/dev/null; then npm pack --silent --pack-destination .venv/vscode $(VSCODE) >/dev/null; fi
	touch $@

$(OLDEST): live_figures/tests/oldest-requirements.txt live_figures/pyproject.toml
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python $(PIP) -r $< ./live_figures
	rm -rf live_figures/build live_figures/*.egg-info  # what pip left there
	touch $@

$(COLAB): tests/colab-requirements.txt pyproject.toml
	$(PYTHON) -m venv .venv-colab
	.venv-colab/bin/python $(PIP) -r tests/colab-requirements.txt
	.venv-colab/bin/python $(PIP) --no-deps --editable .
	touch $@

$(HUB): $(READY) tests/hub-requirements.txt
	$(BIN)/python $(PIP) -r tests/hub-requirements.txt
	$(NPM) configurable-http-proxy@5.3.0
	touch $@
