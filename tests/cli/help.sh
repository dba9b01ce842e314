#!/bin/bash
# Help, version, and what isn't a command or an option.
. "$(dirname "$0")/harness.bash"

expect 0 --version
same "version" "hcr $(sed -n 's/#define HCR_VERSION "\(.*\)"/\1/p' "$source/include/hcr/hcr.h")" "$output"
expect 0 --help
help=$output
for command in compile explain check project contract encode decode fit predict import export plot windows limits ranges; do
    says "$help" "^  $command "
    expect 0 "$command" --help
    says "$output" "^Usage: hcr $command "
    says "$output" "^Example:"
    says "$output" "^Exit codes:"
    says "$output" "--help"
    # The man page has every option that the help has.
    for option in $(grep -o '^ .*--[a-z-]*' <<<"$output" | grep -o -- '--[a-z-]*'); do
        [ "$option" = --folder ] || grep -q -- "${option//-/\\\\-}" "$source/man/hcr.1" || fail "the man page lacks $option"
    done
    expect 2 "$command" --frob
    says "$messages" "there is no option \"--frob\""
    expect 2 "$command"
    says "$messages" "an operand is missing"
done
expect 2
expect 2 frob
same "unknown command" 'hcr: there is no command "frob"; `hcr --help` lists them' "$messages"
expect 2 projection
same "nearly a command" 'hcr: there is no command "projection"; did you mean "project"?' "$messages"
expect 2 encode a b c
says "$messages" "too many operands: 3 given, 2 wanted \(REGION Y\)"
expect 2 encode - -
expect 2 encode a - --parameters -
says "$messages" "only one file can be standard input"
expect 2 encode --search best a b
says "$messages" "--search takes full\|algorithm1\|pruned, not \"best\""
expect 2 fit a b c -o d --rate x
expect 2 fit a b c -o d --rate -1
expect 2 fit a b c -o d --epochs 0
expect 2 fit a b c -o d --epochs 1.5
expect 2 fit a b c -o d --epochs 99999999999999999999999
expect 2 fit a b c
says "$messages" "give -o MODEL"
expect 2 fit a b c -o d --plot picture.pdf
expect 2 check a b --set x
expect 2 check a b --set x=
expect 2 check a b --set x=1,,2
expect 2 check a b --set x=nan
expect 2 windows a -o b
says "$messages" "--id"
expect 2 compile - </dev/null
finish
