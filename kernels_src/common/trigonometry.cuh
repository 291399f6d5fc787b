// Sine and cosine like the functions of math.cuh: branch-free, the same bits on a CPU and a GPU but for the last one.
// Single precision: |x| <= 10,000; within 2 ulp for |x| <= pi, beyond within 1e-7. In double the platform's own.
#pragma once
#include "common/math.cuh"

// x - n pi / 2 in [-pi / 4, pi / 4], and n (Cody and Waite).
static __device__ inline float fh_quarter_turns(float x, int* n) {
  const float turns = fh_fma(x, 0.636619772f, 12582912.0f) - 12582912.0f;
  *n = static_cast<int>(fh_isnan(turns) ? 0.0f : turns);
  float r = fh_fma(turns, -1.57079637f, x);  // pi / 2 in three parts
  r = fh_fma(turns, 4.37113883e-8f, r);
  return fh_fma(turns, 1.71512449e-15f, r);
}

// sin(r) and cos(r), r in [-pi / 4, pi / 4] (coefficients of Cephes, Moshier 1989).
static __device__ inline float fh_sin_near(float r) {
  const float s = r * r;
  float p = fh_fma(s, -1.9515295891e-4f, 8.3321608736e-3f);
  p = fh_fma(p, s, -1.6666654611e-1f);
  return fh_fma(p * s, r, r);
}
static __device__ inline float fh_cos_near(float r) {
  const float s = r * r;
  float p = fh_fma(s, 2.443315711809948e-5f, -1.388731625493765e-3f);
  p = fh_fma(p, s, 4.166664568298827e-2f);
  return fh_fma(p * s, s, fh_fma(s, -0.5f, 1.0f));
}

static __device__ inline float fh_sin(float x) {
  int n;
  const float r = fh_quarter_turns(x, &n);
  const float v = n & 1 ? fh_cos_near(r) : fh_sin_near(r);
  return n & 2 ? -v : v;
}
static __device__ inline float fh_cos(float x) {
  int n;
  const float r = fh_quarter_turns(x, &n);
  const float v = n & 1 ? fh_sin_near(r) : fh_cos_near(r);
  return (n + 1) & 2 ? -v : v;
}

static __device__ inline double fh_sin(double x) { return FH_PLAIN(sin)(x); }
static __device__ inline double fh_cos(double x) { return FH_PLAIN(cos)(x); }
