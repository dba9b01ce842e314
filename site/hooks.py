"""What the site has beside docs/: its own pages, the notebooks, and files of the repository that pages link to."""

import glob
import os
import re
import sys

from mkdocs.structure.files import File

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(HERE)
from c_reference import page as c_reference_page  # noqa: E402

ROOT = os.path.dirname(HERE)
BUILT = os.path.join(ROOT, "build", "site-pages")  # what site/build made: notebooks, pictures
# Files outside of docs/ that are pages here.
PAGES = {"README.md": "overview.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md",
         "CHANGELOG.md": "changelog.md"}  # fmt: skip


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def c_reference():
    headers = sorted(glob.glob(os.path.join(ROOT, "include", "hcr", "*.h")))
    return c_reference_page((os.path.basename(path), read(path)) for path in headers)


def on_files(files, config):
    contents = files.get_file_from_path("index.md")
    files.remove(contents)
    files.append(File.generated(config, "contents.md", content=read(contents.abs_src_path)))
    for path, page in PAGES.items():
        files.append(File.generated(config, page, content=read(os.path.join(ROOT, path))))
    files.append(File.generated(config, "c-reference.md", content=c_reference()))
    for folder in (os.path.join(HERE, "pages"), BUILT):
        for path in glob.glob(os.path.join(folder, "**", "*.*"), recursive=True):
            files.append(File.generated(config, os.path.relpath(path, folder), abs_src_path=path))
    return files


def on_page_markdown(markdown, page, config, files):
    """Links that leave docs/ lead to the page that shows the file, or become plain text."""
    here = os.path.dirname(page.file.src_path)
    from_root = page.file.src_path in PAGES.values()
    up = "../" * len([part for part in here.split("/") if part])

    def mend(match):
        text, target = match[1], match[2]
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        path, _, heading = target.partition("#")
        origin = "" if from_root else os.path.join("docs", here)
        full = os.path.normpath(os.path.join(origin, path))
        anchor = f"#{heading}" if heading else ""
        if full == "docs/index.md" or (from_root and full == "docs"):
            return f"{text}({up}contents.md)"
        if full in PAGES:
            return f"{text}({up}{PAGES[full]}{anchor})"
        if from_root and full.startswith("docs/"):
            return f"{text}({up}{full[5:]}{anchor})"
        if not full.startswith("docs/"):
            return re.sub(r"^!?\[(.*)\]$", r"\1", text)
        return match[0]

    if (page.file.abs_src_path or "").startswith((HERE, BUILT)):
        return markdown
    return re.sub(r"(!?\[[^\]]*\])\(([^)\s]+)\)", mend, markdown)


def on_post_page(output, page, config):
    """The theme's search is a dialog without a name."""
    return output.replace('role="dialog">', 'role="dialog" aria-label="Search">', 1)


def on_post_template(output, template_name, config):
    return on_post_page(output, None, config)
