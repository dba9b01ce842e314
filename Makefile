# The everyday commands, thin over the CMake presets.
.PHONY: all demo experiments experiments-quick lint quick golden test test-python test-libraries test-long coverage mutants sanitize supply wasm gallery site site-test install format clean

all:
	@scripts/packages build
	@test -f build/build.ninja || cmake --preset release -DHCR_TESTS=OFF
	@cmake --build build

# Trains on M4 hourly series, forecasts the next two days, draws them.
demo: all
	@examples/m4/demo.sh

# The paper's experiments (docs/experiments.md): an hour, or minutes. WEEKLY=Weekly-train.csv adds the weekly series.
experiments-quick: QUICK = --quick
experiments experiments-quick: all
	test -d build/venv || python3 -m venv build/venv
	build/venv/bin/pip install -q './python[experiments]'
	build/venv/bin/python -m experiments synthetic $(QUICK) --threads $(shell nproc) -o out/$@/synthetic
	build/venv/bin/python -m experiments m4 $(QUICK) --threads $(shell nproc) $(if $(WEEKLY),--weekly $(WEEKLY)) -o out/$@/m4

# The sources, unrun: format, ruff, mypy, shellcheck, links of the docs, arrows between folders.
lint:
	@scripts/lint

# The unit tests, a handful of numeric ones and the messages: seconds, beside what has to be built.
quick:
	@scripts/packages test
	cmake --preset release
	cmake --build --preset release --target quick
	ctest --preset release -j 2 -L quick

# Records every message of tests/golden/ anew: read the difference before you commit it.
golden:
	@scripts/packages test
	cmake --preset release
	cmake --build --preset release --target hcr_command text_test_golden
	build/tests/text_test_golden --write
	tests/golden/wrong_files.py build/hcr --write

# Every test, in the release build and under AddressSanitizer and UndefinedBehaviorSanitizer.
test:
	@scripts/packages test
	cmake --preset release
	cmake --build --preset release
	ctest --preset release -j 2
	cmake --preset asan-ubsan
	cmake --build --preset asan-ubsan
	ctest --preset asan-ubsan -j 2

# The Python package, built and installed as its users do. Extras that are installed into build/venv are tested too.
test-python:
	@scripts/packages build
	test -d build/venv || python3 -m venv build/venv
	build/venv/bin/pip install -q './python[test]'
	build/venv/bin/python -m pytest python/tests

# The pages of python/examples/libraries, and regressors of scikit-learn and LightGBM: some GB of other packages.
test-libraries:
	@scripts/packages build
	test -d build/venv-libraries || python3 -m venv build/venv-libraries
	build/venv-libraries/bin/pip install -q './python[libraries,test]'
	build/venv-libraries/bin/python -m pytest -rs python/tests/test_libraries.py python/tests/test_sklearn.py \
	    python/tests/test_constrained_regressor.py

# Hours: exactness for COUNT results (and a million on each large region), the fuzzers for ten minutes each, kills and loads at length.
COUNT ?= 1000000000
SEED ?= 1
test-long: test test-python
	HCR_COUNT=$(COUNT) HCR_SEED=$(SEED) build/tests/scale_test_exactness
	HCR_COUNT=1000000 HCR_SEED=$(SEED) build/tests/scale_test_samples
	HCR_LONG=1 ctest --preset release -R 'exactness|forged|^load_|^faults_|^memory_' --timeout 0
	HCR_LONG=1 build/venv/bin/python -m pytest python/tests/test_samples_elsewhere.py python/tests/test_gaps_elsewhere.py \
	    python/tests/test_obstacles.py python/tests/test_moving_coefficients.py python/tests/test_contradictions.py
	scripts/fuzz 600

# Which lines of the library the tests run; whether small wrong changes of it are noticed.
coverage:
	@scripts/coverage
mutants:
	@scripts/mutate

# The sanitizers that need builds of their own; the same bytes twice; what is linked.
sanitize:
	scripts/sanitize all
supply: all
	scripts/reproducible
	scripts/sbom build build/sbom.json

# The library for JavaScript, in js/; the site with its playground, in build/site; both tested, also in Chromium.
wasm:
	@scripts/packages site
	wasm/build
# The pictures of the gallery, in build/gallery; PICTURE=elliptope: that one.
gallery: all
	site/build gallery $(PICTURE)
site: all wasm
	site/build
site-test: site
	site/test/run

install: all
	cmake --install build

format:
	git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	rm -rf build out
