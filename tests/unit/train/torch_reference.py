"""Writes torch_reference.h: networks, inputs and the gradients that PyTorch finds for them in double precision.

Run from this folder with a Python that has torch: python torch_reference.py torch_reference.h [SEED]
"""

import sys

import torch

torch.manual_seed(int(sys.argv[2]) if len(sys.argv) > 2 else 4)
torch.set_default_dtype(torch.float64)


def rounded(tensor):
    """The nearest single-precision numbers, so that both sides begin with the same ones."""
    return tensor.float().double()


def table(name, tensor):
    numbers = ", ".join(float(v).hex() for v in tensor.detach().flatten())
    return f"static const double {name}[] = {{{numbers}}};\n"


def write(out, name, encoder, head, encode, inputs):
    with torch.no_grad():
        for module in (encoder, head):
            for parameter in module.parameters():
                parameter.copy_(rounded(parameter))
        if isinstance(encoder, torch.nn.LSTM):  # one bias: the library's is the sum of PyTorch's two
            encoder.bias_hh_l0.zero_()
    weights = rounded(torch.randn(inputs.shape[0], head.out_features))
    outputs = head(encode(encoder, inputs))
    (outputs * weights).sum().backward()
    out.write(table(f"{name}_inputs", inputs))
    out.write(table(f"{name}_outputs", outputs))
    out.write(table(f"{name}_outputs_bar", weights))
    parameters = {"weight": head.weight, "bias": head.bias}
    parameters = {f"head_{key}": value for key, value in parameters.items()}
    if isinstance(encoder, torch.nn.LSTM):
        parameters |= {
            "encoder_weight_ih": encoder.weight_ih_l0,
            "encoder_weight_hh": encoder.weight_hh_l0,
            "encoder_bias": encoder.bias_ih_l0,
        }
    else:
        parameters |= {"encoder_weight": encoder.weight, "encoder_bias": encoder.bias}
    for key, value in parameters.items():
        out.write(table(f"{name}_{key}", value))
        out.write(table(f"{name}_{key}_bar", value.grad))


def adam(out):
    """Five steps of AdamW on the loss sum(a w^2)/2."""
    w = torch.nn.Parameter(torch.tensor([1.0, -2.0, 0.5, 3.0]))
    a = torch.tensor([1.0, 0.1, 10.0, 1e-3])
    optimiser = torch.optim.AdamW([w], lr=0.1, weight_decay=0.01)
    path = []
    for _ in range(5):
        optimiser.zero_grad()
        (a * w * w).sum().div(2).backward()
        optimiser.step()
        path.append(w.detach().clone())
    out.write(table("adam_curvature", a))
    out.write(table("adam_path", torch.stack(path)))


with open(sys.argv[1], "w") as header:
    header.write(f"/* Written by torch_reference.py with PyTorch {torch.__version__.split('+')[0]}. */\n")
    header.write("#ifndef TORCH_REFERENCE_H\n#define TORCH_REFERENCE_H\n\n")
    write(
        header,
        "dense",
        torch.nn.Linear(7, 5),
        torch.nn.Linear(5, 6),
        lambda encoder, x: torch.relu(encoder(x)),
        rounded(torch.randn(9, 7)),
    )
    write(
        header,
        "lstm",
        torch.nn.LSTM(2, 9, batch_first=True),
        torch.nn.Linear(9, 37),
        lambda encoder, x: encoder(x)[0][:, -1],
        rounded(torch.randn(6, 7, 2)),
    )
    adam(header)
    header.write("\n#endif\n")
