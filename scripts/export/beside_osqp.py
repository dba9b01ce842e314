"""Instructions, stack and iterations of OSQP's generated code on a Cortex-M4 under QEMU, for two problems.

The problems are those of docs/export.md. Needs osqp, numpy and scipy, and what targets.sh needs.
Prints mean and most instructions, the stack, and iterations.
"""

import glob
import os
import shutil
import subprocess
import tempfile

import numpy as np
import osqp
import scipy.sparse as sparse

HERE = os.path.dirname(os.path.abspath(__file__))
ARM = ["arm-none-eabi-gcc", "-std=gnu99", "-O2", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard"]
ARM += ["-mfpu=fpv4-sp-d16", "-ffunction-sections", "-fdata-sections"]
LINK = ["--specs=rdimon.specs", "-T", f"{HERE}/memory.ld", "-Wl,--gc-sections", "-lm"]
EMULATOR = ["qemu-system-arm", "-M", "mps2-an386", "-nographic", "-semihosting", "-monitor", "none"]
EMULATOR += ["-icount", "shift=0", "-kernel"]


def generate(folder, rows, lower, upper):
    """The projection onto lower <= rows y <= upper as C."""
    n = rows.shape[1]
    solver = osqp.OSQP()
    solver.setup(P=sparse.csc_matrix(np.eye(n)), q=np.zeros(n), A=sparse.csc_matrix(rows), l=lower, u=upper,
                 eps_abs=1e-3, eps_rel=1e-3, max_iter=4000, adaptive_rho=False, verbose=False)  # fmt: skip
    solver.codegen(folder, parameters="vectors", use_float=True, printing_enable=False, profiling_enable=False,
                   force_rewrite=True)  # fmt: skip


def measure(title, rows, lower, upper, centre, spread):
    """Projects points around a centre, uniformly spread."""
    work = tempfile.mkdtemp()
    folder = os.path.join(work, "osqp")
    generate(folder, rows, lower, upper)
    program = os.path.join(work, "count.elf")
    sources = [*glob.glob(os.path.join(folder, "src", "*.c")), os.path.join(folder, "workspace.c")]
    includes = [f"-I{folder}", f"-I{folder}/inc/public", f"-I{folder}/inc/private"]
    defines = [f"-DN={rows.shape[1]}", f"-DCENTRE={centre}f", f"-DSPREAD={spread}f"]
    ours = [f"{HERE}/count_osqp.c", f"{HERE}/start.c"]
    subprocess.run([*ARM, *defines, *includes, *sources, *ours, *LINK, "-o", program], check=True)
    result = subprocess.run([*EMULATOR, program], check=True, capture_output=True, text=True)
    print(f"{title}: {result.stdout.strip()}")
    shutil.rmtree(work)


lean = 0.95
thrust = np.array([[1, 0], [0, 1], [lean, lean], [-1, 1]])
measure("two thrusts", thrust, np.array([0, 0, 4, -3.0]), np.array([14, 14, 16, 3.0]), 7.0, 14.0)
loads = np.vstack([np.eye(48), np.diff(np.eye(48), axis=0)])
lower, upper = np.r_[np.zeros(48), np.full(47, -12.5)], np.r_[np.full(48, 900.0), np.full(47, 12.5)]
measure("48 loads", loads, lower, upper, 450.0, 600.0)
