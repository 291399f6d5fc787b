#!/usr/bin/env python3
"""The default configuration's iteration written in plain NumPy, to measure foxhunt's CPU backend against.

Same work as `foxhunt train` with its defaults: 256 accounts, a rollout of 16 steps on a 10-level book with depth
walking and fees, an MLP encoder (48 -> 128 -> 128, SiLU, RMSNorm), a PPO update with GAE and gradient clip, then 4
updates of a 9 x 21-atom C51 head from replay with Adam and a soft target update. float32, BLAS with all threads.
Prints environment steps per second (median of --reps).
"""
import argparse
import time

import numpy as np

N, Z, VMAX, L = 9, 21, 3.0, 10
F32 = np.float32


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def log_softmax(x):
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


class Adam:
    def __init__(self, params, lr, eps):
        self.p, self.lr, self.eps, self.t = params, F32(lr), F32(eps), 0
        self.m = [np.zeros_like(x) for x in params]
        self.v = [np.zeros_like(x) for x in params]

    def step(self, grads, clip=0.0):
        self.t += 1
        scale = F32(1)
        if clip:
            norm = np.sqrt(sum(float((g * g).sum()) for g in grads))
            scale = F32(min(1.0, clip / max(norm, 1e-12)))
        c1, c2 = F32(1 / (1 - 0.9**self.t)), F32(1 / (1 - 0.999**self.t))
        for p, g, m, v in zip(self.p, grads, self.m, self.v):
            g = g * scale
            m += F32(0.1) * (g - m)
            v += F32(0.001) * (g * g - v)
            p -= self.lr * (m * c1) / (np.sqrt(v * c2) + self.eps)


class Market:
    def __init__(self, rows, rng):
        self.mid = np.cumsum(rng.choice([-1, 1], rows)).astype(np.int32) + 20000
        level = np.arange(L, dtype=np.int32)
        self.bid, self.ask = self.mid[:, None] - level, self.mid[:, None] + 1 + level
        self.bid_sz, self.ask_sz = (rng.integers(1, 60, (rows, L)).astype(np.int32) for _ in range(2))
        mid = self.mid[:, None] + F32(0.5)
        imb = (self.bid_sz[:, :1] - self.ask_sz[:, :1]) / (self.bid_sz[:, :1] + self.ask_sz[:, :1])
        f = np.concatenate([self.bid - mid, np.log1p(self.bid_sz), self.ask - mid, np.log1p(self.ask_sz), imb,
                            self.ask[:, :1] - self.bid[:, :1]], 1)
        sd = f.std(0)
        self.features = ((f - f.mean(0)) / np.where(sd > 1e-9, sd, np.inf)).astype(F32)
        self.rows = rows


class Loop:
    def __init__(self, B, T, H, updates, batch, capacity, rng):
        self.B, self.T, self.H, self.updates, self.batch, self.cap, self.rng = B, T, H, updates, batch, capacity, rng
        self.mk = Market(1 << 17, rng)
        F = 4 * L + 2 + 6

        def w(i, o, gain=1.0):
            return (rng.standard_normal((i, o)) * gain / np.sqrt(i)).astype(F32)
        z = lambda n: np.zeros(n, F32)
        self.p = [w(F, H), z(H), w(H, H), z(H), np.ones(H, F32), w(H, N, 0.01), z(N), w(H, 1), z(1)]
        self.q = [w(H, N * Z), z(N * Z)]
        self.qt = [x.copy() for x in self.q]
        self.opt, self.qopt = Adam(self.p, 1e-3, 1e-5), Adam(self.q, 1e-3, 1e-8)
        self.row = rng.integers(0, self.mk.rows - 2, B)
        self.pos, self.cash, self.entry, self.age = np.zeros(B), np.zeros(B), np.zeros(B), np.zeros(B)
        self.left = rng.integers(1, 4096, B)
        self.size = np.array([-4., -2., -1., 0., 1., 2., 4., 0., 0.])
        self.ring = dict(h=np.zeros((capacity, H), F32), h1=np.zeros((capacity, H), F32), a=np.zeros(capacity, np.int64),
                         r=np.zeros(capacity, F32), d=np.zeros(capacity, F32))
        self.head = self.held = 0
        self.atoms = np.linspace(-VMAX, VMAX, Z, dtype=F32)

    def observe(self):
        squash = lambda x: x / (1 + np.abs(x))
        mark = self.mk.mid[self.row] + 0.5
        own = np.stack([self.pos / 4, np.abs(self.pos) / 4, squash(self.pos * (mark - self.entry) / 40), squash(0.02 * self.age),
                        np.zeros(self.B), squash((self.cash + self.pos * mark) / 400)], 1)
        return np.concatenate([self.mk.features[self.row], own.astype(F32)], 1)

    def encode(self, x):
        w0, b0, w1, b1, g = self.p[:5]
        z0 = x @ w0 + b0
        s0 = 1 / (1 + np.exp(-z0))
        y0 = z0 * s0
        z1 = y0 @ w1 + b1
        inv = 1 / np.sqrt((z1 * z1).mean(-1, keepdims=True) + F32(1e-5))
        return z1 * inv * g, (z0, s0, y0, z1, inv)

    def trade(self, a):
        r1 = self.row + 1
        target = np.where(a == 3, self.pos, np.where(a == 7, np.trunc(self.pos / 2), self.size[a]))
        dq = target - self.pos
        buy = dq > 0
        size = np.where(buy[:, None], self.mk.ask_sz[r1], self.mk.bid_sz[r1])
        price = np.where(buy[:, None], self.mk.ask[r1], self.mk.bid[r1])
        take = np.clip(np.abs(dq)[:, None] - (size.cumsum(1) - size), 0, size)
        lots, value = take.sum(1), (take * price).sum(1)
        sign = np.where(buy, 1., -1.)
        before = self.cash + self.pos * (self.mk.mid[self.row] + 0.5)
        pos = self.pos + sign * lots
        self.cash = self.cash - sign * value - 0.05 * lots
        opened = (self.pos * pos <= 0) & (lots > 0)
        self.entry = np.where(pos == 0, 0, np.where(opened, value / np.maximum(lots, 1), self.entry))
        reward = self.cash + pos * (self.mk.mid[r1] + 0.5) - before
        self.age = np.where(pos == 0, 0, self.age + 1)
        self.pos, self.row, self.left = pos, r1, self.left - 1
        done = (self.left <= 0) | (r1 >= self.mk.rows - 2)
        self.row = np.where(done, self.rng.integers(0, self.mk.rows - 2, self.B), self.row)
        self.left = np.where(done, 4096, self.left)
        for x in (self.pos, self.cash, self.entry, self.age):
            x[done] = 0
        return (0.01 * reward).astype(F32), done.astype(F32)

    def iteration(self):
        B, T, H = self.B, self.T, self.H
        X, C, Hs, LG, V, A, LP, R, D = [], [], [], [], [], [], [], [], []
        for t in range(T + 1):
            x = self.observe()
            h, cache = self.encode(x)
            v = (h @ self.p[7] + self.p[8])[:, 0]
            Hs.append(h); V.append(v)
            if t == T:
                break
            lg = h @ self.p[5] + self.p[6]
            a = (lg - np.log(-np.log(self.rng.random((B, N), F32)))).argmax(1)
            lp = log_softmax(lg)
            r, d = self.trade(a)
            X.append(x); C.append(cache); LG.append(lg); A.append(a); LP.append(lp[np.arange(B), a]); R.append(r); D.append(d)
        adv, g = np.zeros((T, B), F32), np.zeros(B, F32)
        for t in reversed(range(T)):
            g = R[t] + F32(.99) * V[t + 1] - V[t] + F32(.99 * .95) * (1 - D[t]) * g
            adv[t] = g
        ret, advn = adv + np.stack(V[:T]), ((adv - adv.mean()) / (adv.std() + 1e-8)).reshape(-1)
        S, idx = T * B, np.arange(T * B)
        h, a, x = np.concatenate(Hs[:T]), np.concatenate(A), np.concatenate(X)
        z0, s0, y0, z1, inv = (np.concatenate([c[k] for c in C]) for k in range(5))
        lp = log_softmax(np.concatenate(LG)); p = np.exp(lp)
        qe = (softmax((h @ self.q[0] + self.q[1]).reshape(S, N, Z)) @ self.atoms)
        qc, lc = qe - qe.mean(1, keepdims=True), lp - lp.mean(1, keepdims=True)
        self.agree = float(((qc * lc).sum(1) / np.sqrt((qc**2).sum(1) * (lc**2).sum(1) + 1e-30)).mean())
        ratio = np.exp(lp[idx, a] - np.concatenate(LP))
        plain, bound = ratio * advn, np.clip(ratio, .8, 1.2) * advn
        hot = np.zeros((S, N), F32); hot[idx, a] = 1
        ent = -(p * lp).sum(1, keepdims=True)
        gl = np.where(plain <= bound, -plain, 0)[:, None] * (hot - p) + F32(.02) * p * (lp + ent)
        gl = (gl / S).astype(F32)
        gv = ((np.concatenate(V[:T]) - ret.reshape(-1)) / S)[:, None].astype(F32)
        gh = gl @ self.p[5].T + gv @ self.p[7].T
        n = z1 * inv
        gg = gh * self.p[4]
        dz1 = inv * (gg - n * (gg * n).mean(1, keepdims=True))
        dy0 = dz1 @ self.p[2].T
        dz0 = dy0 * s0 * (1 + z0 * (1 - s0))
        self.opt.step([x.T @ dz0, dz0.sum(0), y0.T @ dz1, dz1.sum(0), (gh * n).sum(0), h.T @ gl, gl.sum(0), h.T @ gv, gv.sum(0)], .5)
        at = (self.head + idx) % self.cap
        b = self.ring
        b['h'][at], b['h1'][at], b['a'][at], b['r'][at] = h, np.concatenate(Hs[1:]), a, np.concatenate(R)
        b['d'][at] = F32(.99)
        self.head, self.held = (self.head + S) % self.cap, min(self.cap, self.held + S)
        m, k = self.batch, np.arange(self.batch)
        dz = self.atoms[1] - self.atoms[0]
        for _ in range(self.updates):
            i = self.rng.integers(0, self.held, m)
            pt = softmax((b['h1'][i] @ self.qt[0] + self.qt[1]).reshape(m, N, Z))
            pa = pt[k, (pt @ self.atoms).argmax(1)]
            tz = np.clip(b['r'][i][:, None] + b['d'][i][:, None] * self.atoms, -VMAX, VMAX)
            pos = (tz + VMAX) / dz
            lo = np.minimum(np.floor(pos), Z - 2).astype(int); f = pos - lo
            tgt = np.zeros((m, Z), F32)
            np.add.at(tgt, (k[:, None], lo), pa * (1 - f)); np.add.at(tgt, (k[:, None], lo + 1), pa * f)
            hb, ab = b['h'][i], b['a'][i]
            lg = (hb @ self.q[0] + self.q[1]).reshape(m, N, Z)
            g = np.zeros((m, N, Z), F32)
            g[k, ab] = (softmax(lg[k, ab]) - tgt) / m
            g = g.reshape(m, N * Z)
            self.qopt.step([hb.T @ g, g.sum(0)])
            for t, o in zip(self.qt, self.q):
                t += F32(.005) * (o - t)


if __name__ == '__main__':
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--accounts', type=int, default=256)
    ap.add_argument('--horizon', type=int, default=16)
    ap.add_argument('--hidden', type=int, default=128)
    ap.add_argument('--updates', type=int, default=4)
    ap.add_argument('--batch', type=int, default=256)
    ap.add_argument('--capacity', type=int, default=16384)
    ap.add_argument('--iterations', type=int, default=20)
    ap.add_argument('--reps', type=int, default=5)
    o = ap.parse_args()
    loop = Loop(o.accounts, o.horizon, o.hidden, o.updates, o.batch, o.capacity, np.random.default_rng(1))
    for _ in range(5):
        loop.iteration()
    rates = []
    for _ in range(o.reps):
        t0 = time.perf_counter()
        for _ in range(o.iterations):
            loop.iteration()
        rates.append(o.accounts * o.horizon * o.iterations / (time.perf_counter() - t0))
    print(f'numpy {np.__version__}: {np.median(rates):,.0f} env steps/s (min {min(rates):,.0f}, max {max(rates):,.0f}); '
          f'{1e3 * o.accounts * o.horizon / np.median(rates):.2f} ms an iteration; q_pi_agree {loop.agree:.3f}')
