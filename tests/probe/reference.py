#!/usr/bin/env python3
"""Every plugin that comes with the program, and every example, in NumPy and double precision, from its formulas alone.

reference.py compare IN.h5 OUT.h5 [IN.h5 OUT.h5]…   compares what `foxhunt probe` made of IN with the reference; exit
                                                    code 1 and one line a tensor if they differ
reference.py mirror IN.h5 OUT.h5 NEW.h5             IN with OUT's random fractions tau replaced by 1 - tau
"""
import sys

import h5py
import numpy as np


def read(path):
    tensors = {}
    with h5py.File(path) as f:
        f.visititems(lambda name, d: tensors.update({"/" + name: d[()]}) if isinstance(d, h5py.Dataset) else None)
        return tensors, dict(f.attrs)


def words(value):
    """An attribute as text: strings of fixed length come as bytes."""
    return value.decode() if isinstance(value, bytes) else str(value)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def bootstrap_weights(q_target, q_online, options):
    """Weights [B,N] of the next actions in the target."""
    if options["select"] == "expected_sarsa":
        sd = q_target.std(-1, keepdims=True)
        return softmax(q_target / (float(options["select_temperature"]) * sd))
    q = q_online if options["select"] == "double" else q_target
    return np.eye(q.shape[1])[q.argmax(-1)]


def linear_gradients(h, w, d):
    """Of y = h w + b, from dL/dy."""
    return {"/grad/w": h.T @ d, "/grad/b": d.sum(0), "/grad_h": d @ w.T}


def c51(t, o, discount, _):
    n, lo, hi = int(o["atoms"]), float(o["v_min"]), float(o["v_max"])
    z = np.linspace(lo, hi, n)
    batch = len(t["/h"])

    def logits(net, h):
        return (h @ t[f"/weights/{net}/w"] + t[f"/weights/{net}/b"]).reshape(batch, -1, n)

    now = logits("online", t["/h"])
    p = softmax(now)
    q = p @ z
    next_p = softmax(logits("target", t["/h_next"]))
    weights = bootstrap_weights(next_p @ z, softmax(logits("online", t["/h_next"])) @ z, o)
    mixture = np.einsum("ba,baz->bz", weights, next_p)
    b = (np.clip(t["/reward"][:, None] + discount[:, None] * z, lo, hi) - lo) / (hi - lo) * (n - 1)
    low = np.minimum(np.floor(b).astype(int), n - 2)
    m = np.zeros((batch, n))
    for s in range(batch):
        np.add.at(m[s], low[s], mixture[s] * (1 - (b[s] - low[s])))
        np.add.at(m[s], low[s] + 1, mixture[s] * (b[s] - low[s]))
    rows, a = np.arange(batch), t["/action"]
    d = np.zeros_like(now)
    d[rows, a] = (p[rows, a] - m) / batch
    return {"/support": z, "/expected_q": q, "/variance_q": np.einsum("baz,baz->ba", p, (z - q[..., None]) ** 2),
            "/log_probs": np.log(p), "/target": m, "/loss": -(m * np.log(p[rows, a])).sum(-1),
            **linear_gradients(t["/h"], t["/weights/online/w"], d.reshape(batch, -1))}


def quantile_huber(u, tau, kappa):
    """Loss and its derivative by u."""
    share = np.abs(tau - (u < 0))
    if kappa == 0:
        return share * np.abs(u), share * np.sign(u)
    huber = np.where(np.abs(u) <= kappa, 0.5 * u * u, kappa * (np.abs(u) - 0.5 * kappa))
    return share * huber / kappa, share * np.clip(u, -kappa, kappa) / kappa


def quantile_loss(z, tau, next_z, weights, t, discount, o):
    """z [B,K,N], tau [K] or [B,K], next_z [B,K',N], weights [B,N]: target, loss per sample, dL/dz of the batch mean."""
    batch, _, actions = z.shape
    values = t["/reward"][:, None, None] + discount[:, None, None] * next_z.transpose(0, 2, 1)  # [B,N,K']
    share = np.broadcast_to(weights[..., None] / values.shape[-1], values.shape)
    rows, a = np.arange(batch), t["/action"]
    flat, w = values.reshape(batch, -1), share.reshape(batch, -1)
    u = flat[:, None, :] - z[rows, :, a][..., None]
    loss, slope = quantile_huber(u, np.broadcast_to(tau, z.shape[:2])[..., None], float(o["kappa"]))
    d = np.zeros_like(z)
    d[rows, :, a] = -(slope * w[:, None, :]).sum(-1) / batch
    if o["select"] == "expected_sarsa":
        target = np.stack([flat, w], 1)
    else:
        target = values[rows, weights.argmax(-1)]
    return target, (loss * w[:, None, :]).sum((1, 2)), d


def qr_dqn(t, o, discount, _):
    k, batch = int(o["quantiles"]), len(t["/h"])

    def quantiles(net, h):
        return (h @ t[f"/weights/{net}/w"] + t[f"/weights/{net}/b"]).reshape(batch, k, -1)

    z, next_z = quantiles("online", t["/h"]), quantiles("target", t["/h_next"])
    weights = bootstrap_weights(next_z.mean(1), quantiles("online", t["/h_next"]).mean(1), o)
    target, loss, d = quantile_loss(z, (np.arange(k) + 0.5) / k, next_z, weights, t, discount, o)
    return {"/quantiles": z, "/expected_q": z.mean(1), "/variance_q": z.var(1), "/target": target, "/loss": loss,
            **linear_gradients(t["/h"], t["/weights/online/w"], d.reshape(batch, -1))}


def iqn(t, o, discount, noise):
    k, batch, hidden = int(o["k"]), len(t["/h"]), int(o["hidden"])
    i = np.arange(int(o["cosines"])) + int(o["cosine_from"])

    def net(name, h, tau):
        w = {p: t[f"/weights/{name}/{p}"] for p in ("w_phi", "b_phi", "w", "b") + (("w_hidden", "b_hidden") if hidden else ())}
        cosines = np.cos(np.pi * i * tau[..., None])  # [B,K,C]
        pre = cosines @ w["w_phi"] + w["b_phi"]
        x = h[:, None, :] * np.maximum(pre, 0)
        units = np.maximum(x @ w["w_hidden"] + w["b_hidden"], 0) if hidden else x
        return units @ w["w"] + w["b"], (w, cosines, pre, x, units)

    tau = np.broadcast_to((np.arange(k) + 0.5) / k, (batch, k)) if o["inference"] == "midpoints" else noise["/tau_infer"]
    quantiles, _ = net("online", t["/h"], tau)
    next_z, _ = net("target", t["/h_next"], noise["/tau_target"])
    q = {name: net(name, t["/h_next"], noise["/tau_select"])[0].mean(1) for name in ("target", "online")}
    weights = bootstrap_weights(q["target"], q["online"], o)
    z, (w, cosines, pre, x, units) = net("online", t["/h"], noise["/tau"])
    target, loss, d = quantile_loss(z, noise["/tau"], next_z, weights, t, discount, o)

    grad = {}

    def back(weight, bias, value, dy):
        grad["/grad/" + weight] = np.einsum("bki,bkj->ij", value, dy)
        grad["/grad/" + bias] = dy.sum((0, 1))
        return dy @ w[weight].T

    dx = back("w", "b", units, d)
    if hidden:
        dx = back("w_hidden", "b_hidden", x, dx * (units > 0))
    grad["/grad_h"] = (dx * np.maximum(pre, 0)).sum(1)
    back("w_phi", "b_phi", cosines, dx * t["/h"][:, None, :] * (pre > 0))
    return {"/quantiles": quantiles, "/expected_q": quantiles.mean(1), "/variance_q": quantiles.var(1), "/target": target,
            "/loss": loss, **grad}


def composed(t, actions):
    """The tensors of a head without streams whose last layer is V + A - mean_a A, and how to split its gradients."""
    t = dict(t)
    for net in ("online", "target"):
        for kind in "wb":
            a = t[f"/weights/{net}/a_{kind}"]
            a = a.reshape(a.shape[:-1] + (actions, -1))
            v = t.get(f"/weights/{net}/v_{kind}", np.zeros(a.shape[:-2] + a.shape[-1:]))
            t[f"/weights/{net}/{kind}"] = (v[..., None, :] + a - a.mean(-2, keepdims=True)).reshape(a.shape[:-2] + (-1,))

    def split(out):
        for kind in "wb":
            g = out.pop(f"/grad/{kind}")
            g = g.reshape(g.shape[:-1] + (actions, -1))
            if f"/weights/online/v_{kind}" in t:
                out[f"/grad/v_{kind}"] = g.sum(-2)
            out[f"/grad/a_{kind}"] = (g - g.mean(-2, keepdims=True)).reshape(g.shape[:-2] + (-1,))
        return out

    return t, split


def parts(out, q):
    mean = q.mean(-1)
    return {**out, "/state_value": mean, "/advantage": q - mean[:, None]}


def dueling_q(t, o, discount, _):
    batch, own = len(t["/h"]), o["value"] == "own"
    t, split = composed(t, t["/weights/online/a_b"].size)

    def values(net, h, v):
        return h @ t[f"/weights/{net}/w"] + t[f"/weights/{net}/b"] + (0 if own else t[v][:, None])

    q, next_q = values("online", t["/h"], "/value"), values("target", t["/h_next"], "/value_next")
    weights = bootstrap_weights(next_q, values("online", t["/h_next"], "/value_next"), o)
    y = t["/reward"] + discount * (weights * next_q).sum(-1)
    rows, a, kappa = np.arange(batch), t["/action"], float(o["kappa"])
    u = q[rows, a] - y
    g = np.zeros_like(q)
    g[rows, a] = np.clip(u, -kappa, kappa) / batch
    loss = np.where(np.abs(u) <= kappa, u * u / 2, kappa * (np.abs(u) - kappa / 2))
    out = {"/expected_q": q, "/target": y, "/loss": loss, **split(linear_gradients(t["/h"], t["/weights/online/w"], g))}
    if not own:
        out["/grad_value"] = g.sum(-1)
    return parts(out, q)


def dueling_c51(t, o, discount, noise):
    n, lo, hi = int(o["atoms"]), float(o["v_min"]), float(o["v_max"])
    z, batch, joint = np.linspace(lo, hi, n), len(t["/h"]), o["target"] == "joint"
    actions = t["/weights/online/a_b"].size // n
    direct = not joint and o["value"] == "scalar"
    given = t
    if direct:
        t = {**t, "/weights/online/w": t["/weights/online/a_w"], "/weights/online/b": t["/weights/online/a_b"],
             "/weights/target/w": t["/weights/target/a_w"], "/weights/target/b": t["/weights/target/a_b"]}
    else:
        t, split = composed(t, actions)
    out = c51(t, o, discount, noise)
    if not joint:
        y = t["/reward"] + discount * t["/value_next"] - t["/value"]
        b = (np.clip(y, lo, hi) - lo) / (hi - lo) * (n - 1)
        m = np.clip(1 - np.abs(b[:, None] - np.arange(n)), 0, 1)
        p = np.exp(out["/log_probs"])
        of = np.ones((batch, actions)) / actions if o["target"] == "broadcast" else np.eye(actions)[t["/action"]]
        out["/target"] = m
        out["/loss"] = -(of * (m[:, None] * np.log(p)).sum(-1)).sum(-1)
        d = of[..., None] * (p - m[:, None]) / batch
        out.update(linear_gradients(t["/h"], t["/weights/online/w"], d.reshape(batch, -1)))
        out["/expected_q"] = out["/expected_q"] + t["/value"][:, None]
    if direct:
        out["/grad/a_w"], out["/grad/a_b"] = out.pop("/grad/w"), out.pop("/grad/b")
    else:
        out = split(out)
    if "/value" in given:
        out["/grad_value"] = np.zeros(batch)
    return parts(out, out["/expected_q"])


def iqn_dueling(t, o, discount, noise):
    raw = {**t, **{f"/weights/online/{k}": t[f"/weights/online/a_{k}"] for k in "wb"},
           **{f"/weights/target/{k}": t[f"/weights/target/a_{k}"] for k in "wb"}}
    t, split = composed(t, t["/weights/online/a_b"].size)
    out = split(iqn(t, o, discount, noise))
    out = parts(out, out["/expected_q"])
    if o["output"] == "raw_advantage":
        shown = iqn(raw, o, discount, noise)
        out.update({k: shown[k] for k in ("/quantiles", "/expected_q", "/variance_q")})
    return out


def linear_q(t, o, discount, _):
    batch = len(t["/h"])
    q = t["/h"] @ t["/weights/online/w"] + t["/weights/online/b"]
    next_q = t["/h_next"] @ t["/weights/target/w"] + t["/weights/target/b"]
    rows, a = np.arange(batch), t["/action"]
    error = q[rows, a] - (t["/reward"] + discount * next_q.max(-1))
    d = np.zeros_like(q)
    d[rows, a] = error / batch
    return {"/expected_q": q, "/loss": error**2 / 2, **linear_gradients(t["/h"], t["/weights/online/w"], d)}


def identity(t, o, *_):
    return {"/shaped": t["/reward"]}


def rank_standardize(t, o, *_):
    size = np.abs(t["/reward"])
    ranked = size if o["rank_over"] == "all" else size[size > 0]
    rank = np.array([(ranked <= s).sum() for s in size]) / len(ranked)
    return {"/shaped": np.sign(t["/reward"]) * rank * t["/std_ema"]}


def fixed(t, o, *_):
    scale = np.full(len(t["/action"]), float(o["share"]))
    return {"/scale": scale, "/position": scale * t["/target_position"]}


def soft_clip(t, o, *_):
    limit = float(o["limit"])
    return {"/shaped": limit * np.tanh(t["/reward"] / limit)}


def kelly(t, o, *_):
    taken = np.arange(len(t["/action"])), t["/action"]
    scale = np.clip(float(o["fraction"]) * t["/expected_q"][taken] / t["/variance_q"][taken], 0, 1)
    return {"/scale": scale, "/position": scale * t["/target_position"]}


def variance(t, o, *_):
    scale = 1 / (1 + np.sqrt(t["/variance_q"][np.arange(len(t["/action"])), t["/action"]]))
    return {"/scale": scale, "/position": scale * t["/target_position"]}


PLUGINS = [c51, qr_dqn, iqn, dueling_q, dueling_c51, iqn_dueling, linear_q, identity, rank_standardize, fixed, variance, soft_clip, kelly]


def compare(inputs, outputs):
    t, _ = read(inputs)
    out, attributes = read(outputs)
    t = {k: v.astype(np.int64 if v.dtype.kind in "iu" else np.float64) for k, v in t.items()}
    options = dict(words(line).split(" = ", 1) for line in np.atleast_1d(attributes["options"]))
    plugin = words(attributes["plugin"])
    references = {f.__name__: f for f in PLUGINS}
    if plugin not in references:
        return [f"there is no reference for {plugin}: add one to tests/probe/reference.py"]
    discount = None
    if "/terminated" in t:
        discount = np.float32(attributes["gamma"]).astype(np.float64) * (t["/terminated"] == 0)
    noise = {k: t.get(k, out.get(k)) for k in set(t) | set(out) if k.startswith("/tau")}
    noise = {k: v.astype(np.float64) for k, v in noise.items()}
    expected = references[plugin](t, options, discount, noise)
    faults = [f"{k} is written by one of the two alone" for k in set(expected) ^ {k for k in out if not k.startswith("/tau")}]
    for name, want in expected.items():
        got = out.get(name)
        if got is None:
            continue
        scale = max(1e-3, float(np.abs(want).max()))
        if got.shape != want.shape:
            faults.append(f"{name} is {got.shape}, expected {want.shape}")
        elif not np.abs(got - want).max() <= 3e-5 * scale:
            faults.append(f"{name} differs by {np.abs(got - want).max()}, values up to {scale}")
    return [f"{outputs}: {fault}" for fault in faults]


def compare_all(*files):
    return [fault for pair in zip(files[::2], files[1::2]) for fault in compare(*pair)]


def mirror(inputs, outputs, new):
    taus = {k: v for k, v in read(outputs)[0].items() if k.startswith("/tau")}
    with h5py.File(inputs) as source, h5py.File(new, "w") as to:
        for name in source:
            source.copy(name, to)
        for name, tau in taus.items():
            to[name] = np.float32(1) - tau
    print(len(taus))
    return []


if __name__ == "__main__":
    faults = {"compare": compare_all, "mirror": mirror}[sys.argv[1]](*sys.argv[2:])
    print("\n".join(faults), end="")
    sys.exit(1 if faults else 0)
