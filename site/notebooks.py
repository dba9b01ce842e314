"""notebooks FOLDER: runs the notebooks of site/notebooks and writes each as a page with its results and pictures.

They are Python files of jupytext's percent format: plain programs, too. A cell that fails ends this with its error.
"""

import os
import sys

import jupytext
from nbconvert import MarkdownExporter
from nbconvert.preprocessors import ExecutePreprocessor

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "notebooks")


def write(name, folder):
    notebook = jupytext.read(os.path.join(HERE, f"{name}.py"))
    ExecutePreprocessor(timeout=600, kernel_name="python3").preprocess(notebook, {"metadata": {"path": HERE}})
    text, resources = MarkdownExporter().from_notebook_node(notebook, {"unique_key": name})
    for path, content in resources["outputs"].items():
        with open(os.path.join(folder, os.path.basename(path)), "wb") as file:
            file.write(content)
        text = text.replace(path, os.path.basename(path)).replace("![png]", f"![Picture of the page {name}]")
    with open(os.path.join(folder, f"{name}.md"), "w", encoding="utf-8") as file:
        file.write(text)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for file in sorted(os.listdir(HERE)):
        if file.endswith(".py"):
            print(file, flush=True)
            write(file.removesuffix(".py"), folder)


if __name__ == "__main__":
    main()
