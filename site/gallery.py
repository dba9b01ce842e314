"""gallery FOLDER [NAME …]: draws the pictures of site/gallery into FOLDER, and writes gallery.md, their page.

A picture is a file: its docstring is the title and the caption, TEXT its region, draw(figure) draws it.
"""

import base64
import importlib.util
import os
import sys
import zlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gallery")


def playground(text):
    """The link of the playground that carries a text: deflated, in the letters that links may have."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(text.encode()) + packer.flush()
    return "../playground/#t=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def take(name):
    path = os.path.join(HERE, f"{name}.py")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with open(path, encoding="utf-8") as file:
        return module, file.read()


def entry(name, module, source):
    title, _, caption = module.__doc__.strip().partition("\n\n")
    return f"""
## {title}

![{title}]({name}.png)

{caption}

```text
{module.TEXT.strip()}
```

[Open it in the playground]({playground(module.TEXT.strip() + chr(10))}){{ .md-button }}

<details markdown><summary>How it is drawn: <code>make gallery PICTURE={name}</code></summary>

```python
{source.strip()}
```

</details>
"""


def main():
    folder, *names = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    page = """# Gallery

Pictures that hcr made. `make gallery` draws all of them, in `build/gallery`; the command under a
picture draws it alone.
"""
    for name in names or sorted(file.removesuffix(".py") for file in os.listdir(HERE) if file.endswith(".py")):
        print(f"{name}.png", flush=True)
        module, source = take(name)
        figure = plt.figure(figsize=(9, 5.2), facecolor="white")
        module.draw(figure)
        figure.savefig(os.path.join(folder, f"{name}.png"), dpi=120, bbox_inches="tight", pad_inches=0.05)
        plt.close(figure)
        page += entry(name, module, source)
    with open(os.path.join(folder, "gallery.md"), "w", encoding="utf-8") as file:
        file.write(page)


if __name__ == "__main__":
    main()
