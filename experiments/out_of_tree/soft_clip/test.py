#!/usr/bin/env python3
"""soft_clip beside NumPy. Usage: test.py FOXHUNT PLUGIN_FOLDER; exit code 77 where h5py is missing."""
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
    """What probe writes from what it read."""
    return {"shaped": np.tanh(t["reward"])}


def read(path):
    tensors = {}
    with h5py.File(path) as f:
        f.visititems(lambda name, d: tensors.update({name: d[()]}) if isinstance(d, h5py.Dataset) else None)
        return tensors, f.attrs.get("gamma")


foxhunt, folder = sys.argv[1:]
with tempfile.TemporaryDirectory() as work:
    probe = [foxhunt, "probe", "--plugin-dir", folder, "--trainer.device", "cpu"]
    subprocess.run(probe + ["--template", "soft_clip", "-o", work + "/in.h5"], check=True)
    subprocess.run(probe + ["soft_clip", work + "/in.h5", work + "/out.h5"], check=True)
    inputs, _ = read(work + "/in.h5")
    outputs, gamma = read(work + "/out.h5")
for name, value in expected(inputs, gamma).items():
    np.testing.assert_allclose(outputs[name], value, rtol=1e-4, atol=1e-5, err_msg=name)
