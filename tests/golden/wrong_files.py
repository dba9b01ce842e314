#!/usr/bin/env python3
"""Runs the wrong files and command lines of wrong_files.txt and compares exit code and message with what stands there.

wrong_files.py HCR          compare
wrong_files.py HCR --write  put down what is said now, to be read before it is kept
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "wrong_files.txt")


def read_cases(text):
    """The head of the list, and each case: its own lines up to the command, the command, and its messages."""
    head, *rest = re.split(r"(?m)^## ", text)
    cases = []
    for part in rest:
        body, _, said = part.partition("\n$ ")
        command, _, said = said.partition("\n")
        cases.append((body, command, said.strip("\n")))
    return head, cases


def make_files(body, folder):
    """`@ NAME` begins a file of the lines below; `@x NAME` one of bytes with backslash escapes, without line ends."""
    name, escaped, lines = None, False, []

    def put():
        if name is None:
            return
        data = "\n".join(lines)
        data = data.encode().decode("unicode_escape").encode("latin-1") if escaped else (data + "\n").encode()
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)

    for line in body.split("\n")[1:]:
        if line.startswith(("@ ", "@x ")):
            put()
            escaped, name, lines = line.startswith("@x"), line.split(" ", 1)[1], []
        else:
            lines.append(line)
    put()


def run(bin, command, folder):
    """Exit code and messages, and a remark when a file called "out" is there nonetheless."""
    done = subprocess.run(
        command,
        check=False,
        shell=True,
        cwd=folder,
        capture_output=True,
        timeout=60,
        env={
            **os.environ,
            "PATH": bin + os.pathsep + os.environ["PATH"],
            "LC_ALL": "C",
            "TERM": "dumb",
            "OMP_NUM_THREADS": "1",
        },
    )
    said = f"{done.returncode}\n{done.stderr.decode(errors='replace').rstrip()}"
    if os.path.exists(os.path.join(folder, "out")):
        said += "\n(there is an output)"
    return said.rstrip("\n")


def make_common(bin, common):
    """What every case finds in its folder."""
    os.mkdir(common)
    make_files(
        """
@ disc.region
var y[2]
norm(y) <= 1
@ y.csv
y[0],y[1]
0.5,0
0,0.25
@ x.csv
a,b
1,2
3,4""",
        common,
    )
    for command in (
        "hcr compile disc.region -o disc.hcr",
        "hcr fit disc.region x.csv y.csv --hidden 2 --epochs 1 --quiet -o model",
    ):
        said = run(bin, command, common)
        assert said == "0", said


def tell(bin, common, folder, body, command):
    shutil.copytree(common, folder)
    make_files(body, folder)
    said = run(bin, command, folder)
    shutil.rmtree(folder)
    return said


def main():
    hcr = os.path.abspath(sys.argv[1])
    with open(LIST, encoding="utf-8") as file:
        head, cases = read_cases(file.read())
    different, result = 0, [head]
    with tempfile.TemporaryDirectory() as scratch:
        bin, common = os.path.join(scratch, "bin"), os.path.join(scratch, "common")
        os.mkdir(bin)
        os.symlink(hcr, os.path.join(bin, "hcr"))
        make_common(bin, common)
        said_each = [tell(bin, common, os.path.join(scratch, "case"), body, command) for body, command, _ in cases]
    for (body, command, wanted), said in zip(cases, said_each, strict=True):
        result.append(f"## {body}\n$ {command}\n{said}\n\n")
        if said != wanted:
            different += 1
            if "--write" not in sys.argv:
                print(f"## {body.splitlines()[0]}\n$ {command}\nwanted: {wanted}\ngot:    {said}\n")
    if "--write" in sys.argv:
        with open(LIST, "w", encoding="utf-8") as file:
            file.write("".join(result).rstrip("\n") + "\n")
    print(f"{len(cases)} cases, {different} different")
    return different != 0 and "--write" not in sys.argv


if __name__ == "__main__":
    sys.exit(main())
