#!/usr/bin/env python3
"""linear_q beside NumPy. Usage: test.py FOXHUNT PLUGIN_FOLDER; exit code 77 where h5py is missing."""
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: install h5py and NumPy (package python3-h5py)")
    sys.exit(77)


def expected(t, gamma):
    """What probe writes from what it read. Weights are [hidden, action]: q = h w + b."""
    h, action, samples = t["h"].astype(float), t["action"], np.arange(len(t["h"]))
    q = h @ t["weights/online/w"] + t["weights/online/b"]
    q_next = t["h_next"] @ t["weights/target/w"] + t["weights/target/b"]
    target = t["reward"] + gamma * (t["terminated"] == 0) * q_next.max(axis=1)
    error = q[samples, action] - target
    grad_q = np.zeros_like(q)
    grad_q[samples, action] = error / len(samples)  # gradients are of the mean over the batch
    return {"expected_q": q, "loss": error**2 / 2, "grad/w": h.T @ grad_q, "grad/b": grad_q.sum(axis=0),
            "grad_h": grad_q @ t["weights/online/w"].T}


def read(path):
    tensors = {}
    with h5py.File(path) as f:
        f.visititems(lambda name, d: tensors.update({name: d[()]}) if isinstance(d, h5py.Dataset) else None)
        return tensors, f.attrs.get("gamma")


foxhunt, folder = sys.argv[1:]
with tempfile.TemporaryDirectory() as work:
    probe = [foxhunt, "probe", "--plugin-dir", folder, "--trainer.device", "cpu"]
    subprocess.run(probe + ["--template", "linear_q", "-o", work + "/in.h5"], check=True)
    subprocess.run(probe + ["linear_q", work + "/in.h5", work + "/out.h5"], check=True)
    inputs, _ = read(work + "/in.h5")
    outputs, gamma = read(work + "/out.h5")
for name, value in expected(inputs, gamma).items():
    np.testing.assert_allclose(outputs[name], value, rtol=1e-4, atol=1e-5, err_msg=name)
