"""The page of the C interface, from the headers: a heading for each declaration or group of them, with its comment."""

import re

NAME = re.compile(r"^HCR_API[^(]*?\b(hcr_\w+)\(|^typedef (?:struct|enum) (hcr_\w+)|^#define (HCR_\w+)", re.M)
TYPE_OF_FUNCTION = re.compile(r"^typedef [^(\n]*\(\*(hcr_\w+)\)", re.M)
PLUMBING = re.compile(r"#(if|endif|ifdef|ifndef|include)|#define HCR_\w*H$|extern \"C\"|[{}]$")


def entries(header):
    """Of a header's text: (section, None) and (comment, code), in order. A comment of its own line begins an entry, and
    so does code after an empty line."""
    found, depth, fresh = [], 0, True
    lines = iter(header.splitlines())
    for line in lines:
        if depth == 0 and line.startswith("/*"):
            comment = line
            while not comment.endswith("*/") and "*/" not in line:
                line = next(lines)
                comment += "\n" + line
            section = re.match(r"/\* -{5,} (.*) \*/", comment)
            text = re.sub(r"^ \* ?", "", comment.removeprefix("/* ").removesuffix("*/"), flags=re.M).rstrip()
            found.append((section[1], None) if section else (text, ""))
            fresh = False
        elif depth == 0 and line == "":
            fresh = True
        elif depth > 0 or not PLUMBING.match(line):
            if depth == 0 and fresh and found and (found[-1][1] is None or found[-1][1]):
                found.append(("", ""))
            fresh = False
            depth += line.count("{") - line.count("}")
            if found[-1][1] is None:
                found.append(("", ""))
            found[-1] = (found[-1][0], found[-1][1] + line + "\n")
    return found


def prose(comment):
    """A comment as Markdown: what is indented is a formula or a table."""
    code = r"`[^`]*`|\b(?:hcr|HCR)_\w*[A-Za-z0-9](?:\.h|\(\))?"

    def mark(match):
        word = match[0]
        if word == "<":
            return "&lt;"
        return "\\" + word if len(word) == 1 else word if word[0] == "`" else f"`{word}`"

    lines = comment.splitlines()
    return "".join(
        (line if line.startswith("    ") else re.sub(rf"{code}|[\\`*_<>\[\]|#]", mark, line)) + "\n" for line in lines
    )


def page(headers):
    """The page in Markdown. `headers`: (name, text) of each."""
    text = "# The C interface\n\nFrom the headers' comments, which say what each function takes, gives and refuses.\n"
    for name, header in headers:
        text += f"\n## {name}\n\n"
        for comment, code in entries(header):
            if code is None:
                text += f"\n### {comment[0].upper()}{comment[1:]}\n\n"
                continue
            names = [next(filter(None, match.groups())) for match in NAME.finditer(code)] + TYPE_OF_FUNCTION.findall(
                code
            )
            if names:
                names = list(dict.fromkeys(names))
                others = "".join(f'<span id="{other}"></span>' for other in names[1:])
                title = ", ".join(f"`{one}`" for one in names)
                text += f'\n#### {title} {{ #{names[0]} data-toc-label="{names[0]}" }}\n\n{others}\n\n'
            text += prose(comment) + "\n"
            if code:
                text += f"```c\n{code}```\n"
    return text
