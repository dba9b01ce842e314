"""How cost grows, and the layers beside each other: PNG, by gnuplot."""

import shutil
import subprocess

from .aims import Measured

STYLE = """set terminal pngcairo size 760,460 font "sans-serif,10" background "white"
set key left top Left reverse
set grid
set logscale xy
"""
SPREADS = {
    "alike": "all rows as far away",
    "spread": "once to ten times as far",
    "grouped": "close to a plane of four dimensions",
}


def block(name, points):
    return f"${name} << EOD\n" + "\n".join(f"{x} {y}" for x, y in points) + "\nEOD\n"


def rows(measured):
    curves = [(kind, "hcr", f"gauge: {spread}") for kind, spread in SPREADS.items()]
    curves += [("alike", "plain", "plain scan"), ("alike", "matrix product", "matrix product, OpenBLAS")]
    data, plots = "", []
    for k, (kind, by, title) in enumerate(curves):
        data += block(f"c{k}", measured.growth(f"rows, {kind}", by))
        dash = "" if by == "hcr" else " dashtype 2"
        plots.append(f'$c{k} with linespoints pointtype 7 pointsize 0.5 linewidth 2{dash} title "{title}"')
    return data + 'set xlabel "rows"\nset ylabel "microseconds a sample"\nplot ' + ", \\\n ".join(plots)


def outputs(measured):
    points = measured.growth("outputs, decode")
    n, time = points[len(points) // 2]
    return (
        block("c", points)
        + 'set xlabel "outputs"\nset ylabel "microseconds a sample"\n'
        + 'plot $c with linespoints pointtype 7 pointsize 0.5 linewidth 2 title "decode, box and differences", \\\n'
        + f' x * {time / n} with lines dashtype 2 linecolor "gray" title "in proportion to the outputs"'
    )


def layers(measured):
    methods = {
        "hcr, C, contract": "double",
        "hcr.torch": "double",
        "torch, closed form": "double",
        "RAYEN": "double",
        "Πnet, 50 steps": "single",
        "cvxpylayers": "double",
    }
    lines = ["region " + " ".join(f'"{by}"' for by in methods)]
    for letter in "ABCDE":
        values = (measured.layer(letter, by, precision=precision) for by, precision in methods.items())
        lines.append(" ".join([letter, *("?" if v is None else str(v) for v in values)]))
    return (
        "$c << EOD\n" + "\n".join(lines) + "\nEOD\n"
        'unset logscale x\nset datafile missing "?"\nset style data histograms\nset style fill solid 0.8\n'
        'set ylabel "microseconds a sample"\nset xlabel "region"\nset key outside right\nset yrange [0.01:*]\n'
        f"plot for [k=2:{len(methods) + 1}] $c using k:xtic(1) title columnheader(k)"
    )


def preparing(measured):
    figures = measured.results.all(part="preparing")
    colours = ("#0b62a4", "#c8773a", "#3a8f4f", "#8a4fa3", "#444444")
    data, plots = 'set xlabel "outputs"\nset ylabel "seconds to make the region"\nset key outside right\n', []
    for k, kind in enumerate(dict.fromkeys(f.what for f in figures)):
        data += block(f"made{k}", [(int(f.subject), f.value) for f in figures if f.what == kind])
        plots.append(f'$made{k} with linespoints pointtype 7 linewidth 2 linecolor "{colours[k % 5]}" title "{kind}"')
    return data + "plot " + ", \\\n ".join(plots)


PICTURES = {
    "rows": ("growth", rows),
    "outputs": ("growth", outputs),
    "preparing": ("preparing", preparing),
    "layers": ("layers", layers),
}


def draw(results, folder):
    gnuplot, measured = shutil.which("gnuplot"), Measured(results)
    for name, (part, make) in PICTURES.items():
        if not results.all(part=part):
            continue
        if gnuplot is None:
            results.leave_out("pictures", name, "gnuplot isn't installed")
            continue
        script = STYLE + f'set output "{folder / name}.png"\n' + make(measured) + "\n"
        subprocess.run([gnuplot], input=script, text=True, check=True)
