#!/bin/bash
# What the binaries can do to a machine: no network, no shell, no stack that can be executed; and strings of
# users don't become commands. In a hardened build its guards are in.
. "$(dirname "$0")/harness.bash"

build=$(dirname "$hcr")
for name in hcr libhcr.so libhcr_runtime.so; do
    imported=$(nm -D --undefined-only "$build/$name" | awk '{ print $2 }' | sed 's/@.*//')
    # The command alone may begin itself anew, with one BLAS thread under a limit on memory (cli/main.c).
    forbidden='^(system|popen|exec.*|fork|vfork|socket|connect|bind|listen|accept|send|sendto|sendmsg|getaddrinfo|gethostby.*)$'
    [ "$name" = hcr ] && imported=$(grep -v '^execv$' <<<"$imported")
    same "$name asks for" "" "$(grep -E "$forbidden" <<<"$imported")"
    # Libraries are loaded by none, programs started by the command alone: gnuplot, without a shell.
    same "$name loads libraries" "" "$(grep '^dlopen$' <<<"$imported")"
    [ "$name" = hcr ] || same "$name starts programs" "" "$(grep '^posix_spawn' <<<"$imported")"
    # The library doesn't print, end the process, or touch signals and the locale of the process (sanitizers do).
    if [ "$name" != hcr ] && ! grep -q -E '^__(asan|tsan|ubsan)_' <<<"$imported"; then
        same "$name" "" "$(grep -E '^(exit|_exit|abort|puts|putchar|printf|signal|sigaction|setlocale|fesetround|fesetenv)$' <<<"$imported")"
    fi
    segments=$(readelf -lW "$build/$name")
    says "$segments" 'GNU_RELRO'
    says "$segments" 'GNU_STACK.* RW '
    if grep -q 'HCR_HARDEN:BOOL=ON' "$build/CMakeCache.txt" && ! grep -q '_asan_' <<<"$imported"; then
        says "$(readelf -dW "$build/$name")" 'NOW'
        says "$imported" '__stack_chk_fail'
        [ "$name" = libhcr_runtime.so ] || says "$imported" '__(memcpy|memset|sprintf|snprintf|fprintf)_chk' # of _FORTIFY_SOURCE
        # Where calls through pointers may land. Not every C library's start files say so, and then the program as a whole doesn't.
        if [ "$(uname -m)" = x86_64 ] && command -v objdump >/dev/null; then
            says "$(objdump -d --no-show-raw-insn "$build/$name" | grep -A1 -E '<(main|hcr_version)>:')" 'endbr64'
        fi
    fi
    paths=$(readelf -dW "$build/$name" | sed -n 's/.*RUNPATH.*\[\(.*\)\]/:\1:/p')
    [[ $paths != *::* ]] || fail "$name looks for libraries in the folder that one works in: $paths"
done
says "$(readelf -hW "$hcr")" 'Type:.*DYN' # executables that lie anywhere

# Names that a shell or gnuplot would run.
if command -v gnuplot >/dev/null; then
    printf 'a,b\n1,2\n3,4\n' >x.csv
    printf 'y[0],y[1]\n0.5,0\n0,0.25\n' >y.csv
    # shellcheck disable=SC2016
    for name in '`touch ran`' '$(touch ran)' "'; touch ran; '" '";system("touch ran");"' 'a;touch ran' '|touch ran' \
        $'a\nTHE_END_OF_THE_TITLES\nsystem("touch ran")\n'; do
        expect 0 fit "$regions/disc.region" x.csv y.csv -o "$name" --hidden 2 --epochs 2 --quiet --plot "$name.svg"
        exists "$name"
        exists "$name.svg"
        printf 'var y[2]\nnorm(y) <= 1\n' >"$name.region"
        expect 0 plot "$name.region" --title "$name" -o "$name.png"
        absent ran
    done
fi
finish
