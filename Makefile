# The two commands a newcomer needs: `make run` and `make test`. Both set up what they need.

VENV ?= .venv
# What `make quick` runs: the paths of a file.
QUICK ?= @tests/quick.txt
# What `make test` installs besides the workbench; EXTRAS=app,cpu,dev leaves out torch and the training tests.
EXTRAS ?= app,cpu,dev,encryption,evaluate,export,lab,milvus,postgres,qdrant,train
PY := $(VENV)/bin/python
export HNSWLIB_NO_NATIVE := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore
# Empty: byte code is kept, whatever the machine says. Tests start hundreds of processes, and each would compile
# the program again.
export PYTHONDONTWRITEBYTECODE :=

DRAW = $(PY) -m claimlight_workbench --size 1600x1000
DRAWN = (damper OR absorber) SAME valve$$1

.PHONY: audit bundle engines installers installer-windows run test test-all quick check golden sample notebook reference languages bench screenshots tour clean help

help:
	@echo "make run          set up and open the workbench on the sample library (terminal if there is no display)"
	@echo "make test         set up and run the test suite"
	@echo "make test-all     the test suite with every model and recipe of the papers"
	@echo "make quick        the quick part of the test suite"
	@echo "make check        ruff, mypy --strict, import contracts, wording, licences and versions of packages"
	@echo "make engines      the servers of shared libraries that the tests start, under var/engines"
	@echo "make audit        compare the packages with the database of known weaknesses; needs a network"
	@echo "make golden       measure the golden corpus again and keep its figures; prints what changed"
	@echo "make sample       build the sample library that is shipped: after changes of its sources, the store or the model"
	@echo "make reference    write docs/reference from the program again: after changes of commands and settings"
	@echo "make languages    read the texts of the window into its catalogs and compile them: after changes of texts"
	@echo "make notebook     run the notebook of docs/guide and keep its outputs"
	@echo "make bench        benchmarks: JSON under var/bench"
	@echo "make bundle       build the program as one folder that needs no Python, under dist, and use it once"
	@echo "make installers   pack that folder for Linux: an archive that installs itself, and a Debian package"
	@echo "make installer-windows FOLDER=DIR  pack a program folder that was made on Windows, with NSIS"
	@echo "make screenshots  draw the pictures of docs/images again"
	@echo "make tour         write the tour of the guide and draw its pictures, by the keys of a whole search"

run: $(VENV)/.run
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || [ "$$(uname)" = Darwin ]; then \
		exec $(PY) -m claimlight_workbench; \
	else \
		echo "No display: the same search in the terminal."; \
		exec $(PY) -m claimlight.cli demo; \
	fi

# One worker a core, each with one thread of its own for torch and BLAS; files stay together for their fixtures.
test: $(VENV)/.dev engines
	QT_QPA_PLATFORM=offscreen OMP_NUM_THREADS=1 $(PY) -m pytest -n auto --dist loadfile -m "not variants" $(TESTS)

# Further models and recipes on paths that `make test` takes with some of them.
test-all: $(VENV)/.dev engines
	QT_QPA_PLATFORM=offscreen OMP_NUM_THREADS=1 $(PY) -m pytest -n auto --dist loadfile $(TESTS)

# What a change is most likely to break, of every room: without what trains, kills processes or reads large
# files, and with ten examples of each property.
quick: $(VENV)/.dev
	QT_QPA_PLATFORM=offscreen OMP_NUM_THREADS=1 $(PY) -m pytest -q -n auto --dist loadfile --examples 10 -m "not slow and not data" $(QUICK)

check: $(VENV)/.dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports
	$(PY) docs/developers/wording.py
	$(PY) installer/audit.py

# Apart from the environment: what starts Milvus Lite from Python needs a setuptools of long ago, and the tests
# start the program inside the package.
engines: var/engines/milvus/.made

var/engines/milvus/.made: tests/core/engines/milvus.txt | $(VENV)/.dev
	@rm -rf $(@D) && mkdir -p $(@D)
	$(PY) -m pip install -q --no-deps --target $(@D) -r $< && touch $@ \
		|| echo "There is no Milvus Lite for this system: its tests are skipped."

# Needs a network, and an environment of its own: what it audits must not change what is audited.
audit: $(VENV)/.dev
	@sh installer/venv.sh var/audit
	var/audit/bin/python -m pip install -q 'pip-audit>=2.9,<3'
	@rm -f var/audit/report.json
	$(PY) -m pip list --format freeze --exclude-editable > var/audit/versions.txt
	var/audit/bin/pip-audit --requirement var/audit/versions.txt --no-deps --disable-pip --vulnerability-service osv \
		--format json --output var/audit/report.json $(AUDIT); test -s var/audit/report.json
	$(PY) installer/audit.py --read var/audit/report.json
	$(PY) installer/audit.py

golden: $(VENV)/.dev
	$(PY) -m claimlight.cli evaluate golden tests/golden --pin

sample: $(VENV)/.dev
	$(PY) resources/sample/build.py
	$(PY) resources/sample/pack.py

reference: $(VENV)/.dev
	$(PY) docs/reference/build.py

languages: $(VENV)/.dev
	$(PY) resources/languages/build.py

notebook: $(VENV)/.dev
	$(PY) docs/guide/notebook.py

bench: $(VENV)/.dev
	$(PY) -m bench --out var/bench

screenshots: export QT_QPA_PLATFORM = offscreen
# Neutral folders: the pictures show the path of the library.
screenshots: export XDG_DATA_HOME = /tmp/claimlight-pictures
screenshots: export XDG_CONFIG_HOME = /tmp/claimlight-pictures
screenshots: $(VENV)/.run
	@rm -rf /tmp/claimlight-pictures
	$(DRAW) --theme light --screenshot docs/images/workbench-sample-light.png
	$(DRAW) --theme dark --screenshot docs/images/workbench-sample-dark.png
	$(DRAW) --theme light --panel matrix --screenshot docs/images/workbench-matrix-light.png
	$(DRAW) --theme dark --panel center --screenshot docs/images/workbench-center-dark.png
	$(DRAW) --theme light --line '$(DRAWN)' --panel sets --screenshot docs/images/workbench-query-light.png
	$(DRAW) --theme dark --line '$(DRAWN)' --panel citations --screenshot docs/images/workbench-query-dark.png
	$(DRAW) --theme dark --panel models --screenshot docs/images/workbench-models-dark.png

# An environment of its own, without torch and the laboratory, which hooks would take along. Other variants have
# their own: `make bundle VARIANT=gpu`, `VARIANT=shared` and `VARIANT=research`.
VARIANT ?= examiner
RELEASE := var/release/$(VARIANT)
DIST := dist$(if $(filter-out examiner,$(VARIANT)),/$(VARIANT))

bundle: $(RELEASE)/.made
	$(RELEASE)/bin/python installer/bundle/build.py $(DIST) $(VARIANT)
	$(RELEASE)/bin/python installer/bundle/smoke.py $(DIST)/claimlight resources/sample/xml

# Of the folder that is there; `make bundle` makes it again.
installers: $(DIST)/claimlight/build.json
	$(RELEASE)/bin/python installer/linux/build.py $(DIST)/claimlight $(DIST)

# Of a folder that installer/windows/bundle.ps1 made: PyInstaller builds for the system it runs on only.
installer-windows:
	$(PY) installer/windows/build.py "$(FOLDER)" dist

$(DIST)/claimlight/build.json:
	$(MAKE) bundle

tour: $(VENV)/.dev
	$(PY) tests/app/search_script.py docs/guide/tour.md
	CLAIMLIGHT_TOUR=$(CURDIR)/docs/images QT_QPA_PLATFORM=offscreen $(PY) -m pytest -q -n0 tests/app/test_app_whole_search.py -k keys_only

$(VENV)/.run: pyproject.toml installer/system.sh
	@sh installer/system.sh build gui
	@sh installer/venv.sh $(VENV)
	$(PY) -m pip install -q -e '.[app,cpu,encryption,export]'
	@echo "Compiling the inner loops of the search, once."
	@$(PY) -m claimlight.cli demo >/dev/null 2>&1 || true # if it fails, the start says why
	@touch $@

$(VENV)/.dev: pyproject.toml installer/system.sh installer/constraints.txt
	@sh installer/system.sh build gui test
	@sh installer/venv.sh $(VENV)
	$(PY) -m pip install -q -c installer/constraints.txt -e '.[$(EXTRAS)]'
	@touch $@ $(VENV)/.run

$(RELEASE)/.made: pyproject.toml installer/bundle/requirements.txt installer/bundle/variants.py
	@sh installer/system.sh build gui test
	@sh installer/venv.sh $(RELEASE)
	$(RELEASE)/bin/python -m pip install -q -c installer/constraints.txt -r installer/bundle/requirements.txt \
		-e ".[$$($(RELEASE)/bin/python installer/bundle/variants.py $(VARIANT))]"
	@touch $@

clean:
	rm -rf $(VENV) build dist var .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
