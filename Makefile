# The everyday commands, thin over the CMake presets.
.PHONY: all demo test test-python test-long install format clean

all:
	@scripts/packages build
	@test -f build/build.ninja || cmake --preset release -DHCR_TESTS=OFF
	@cmake --build build

# Trains on M4 hourly series, forecasts the next two days, draws them.
demo: all
	@examples/m4/demo.sh

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

# The exactness tests with a million decodes each: about a quarter of an hour; see docs/measurements.md.
test-long: test
	HCR_LONG=1 ctest --preset release -R exactness --timeout 0

install: all
	cmake --install build

format:
	git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	rm -rf build out
