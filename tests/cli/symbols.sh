#!/bin/bash
# The libraries export what the headers declare: libhcr just that, the runtime all of hcr.h and nothing that no header has.
. "$(dirname "$0")/harness.bash"

libraries=$(dirname "$hcr")
exported() { nm -D --defined-only "$libraries/$1" | awk '$2 ~ /[TDBRVW]/ && $3 !~ /^_/ { print $3 }' | sort; }
declared() { (cd "$source/include" && grep -hA2 '^HCR_API' "$@") | grep -o '\bhcr_[a-z0-9_]*(' | tr -d '(' | sort -u; }
all=$(declared -r hcr)
same "libhcr" "$all" "$(exported libhcr.so)"
same "missing from libhcr_runtime" "" "$(comm -23 <(declared hcr/hcr.h) <(exported libhcr_runtime.so))"
same "strange in libhcr_runtime" "" "$(comm -13 <(echo "$all") <(exported libhcr_runtime.so))"

# grep finds each of them: one line of a header that declares it, one of a source that defines it, none made by a macro.
for name in $all; do
    same "$name is declared" "1" "$(grep -hE "^HCR_API .*\b$name\(" "$source"/include/hcr/*.h | wc -l)"
    same "$name is defined" "1" "$(grep -rhE "^[a-z].*\b$name\(" --include='*.c' "$source/src" | wc -l)"
done
finish
