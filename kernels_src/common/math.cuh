// Elementary functions as branch-free polynomials: they vectorise on a CPU, and a CPU and a GPU give almost the same
// bits, since every fused multiply-add is written out. NaN in gives NaN out; infinities are right.
// Single precision: within 2 ulp, log1p within 3. In double (central differences) the platform's own functions are used.
#pragma once
#include "common/platform.cuh"

#if defined(FH_CUDA)
#define FH_PLAIN(name) name
#else
#define FH_PLAIN(name) __builtin_##name
#endif

static __device__ inline float fh_fma(float a, float b, float c) { return FH_PLAIN(fmaf)(a, b, c); }
static __device__ inline double fh_fma(double a, double b, double c) { return FH_PLAIN(fma)(a, b, c); }
static __device__ inline float fh_sqrt(float x) { return FH_PLAIN(sqrtf)(x); }
static __device__ inline double fh_sqrt(double x) { return FH_PLAIN(sqrt)(x); }
static __device__ inline float fh_abs(float x) { return FH_PLAIN(fabsf)(x); }
static __device__ inline double fh_abs(double x) { return FH_PLAIN(fabs)(x); }
static __device__ inline float fh_floor(float x) { return FH_PLAIN(floorf)(x); }
static __device__ inline double fh_floor(double x) { return FH_PLAIN(floor)(x); }
template <class T>
static __device__ inline bool fh_isnan(T x) { return x != x; }
// A NaN in either argument is the result: nothing hides one.
template <class T>
static __device__ inline T fh_max(T a, T b) { return a > b || a != a ? a : b; }
template <class T>
static __device__ inline T fh_min(T a, T b) { return a < b || a != a ? a : b; }

#if defined(FH_CUDA)
static __device__ inline int fh_bits(float x) { return __float_as_int(x); }
static __device__ inline float fh_from_bits(int x) { return __int_as_float(x); }
#else
static inline int fh_bits(float x) { return __builtin_bit_cast(int, x); }
static inline float fh_from_bits(int x) { return __builtin_bit_cast(float, x); }
#endif

// 2^n for n in [-126, 127].
static __device__ inline float fh_power_of_two(int n) { return fh_from_bits((n + 127) << 23); }

static __device__ inline float fh_exp(float x) {
  const float low = -104.0f, high = 89.0f;  // beyond these the result is 0 and infinity
  float y = x < low ? low : x;
  y = y > high ? high : y;
  const float n = fh_fma(y, 1.44269504f, 12582912.0f) - 12582912.0f;  // nearest integer
  float r = fh_fma(n, -0.693145752f, y);                              // ln 2 in two parts
  r = fh_fma(n, -1.42860677e-6f, r);
  float p = fh_fma(r, 1.393454452e-03f, 8.363776467e-03f);
  p = fh_fma(p, r, 4.166645678e-02f);
  p = fh_fma(p, r, 1.666657336e-01f);
  p = fh_fma(p, r, 5.000000014e-01f);
  const float e = fh_fma(p, r * r, r) + 1.0f;
  // Two factors, so that results below the smallest normal number and above the largest come out right.
  const int k = static_cast<int>(fh_isnan(n) ? 0.0f : n), half = k >> 1;
  return e * fh_power_of_two(half) * fh_power_of_two(k - half);
}

static __device__ inline float fh_log(float x) {
  const bool tiny = x < 1.17549435e-38f;
  const float scaled = tiny ? x * 8388608.0f : x;
  const int bits = fh_bits(scaled);
  // Mantissa in [sqrt(1/2), sqrt(2)).
  const int shifted = bits - 0x3f3504f3;
  const int exponent = shifted >> 23;
  const float m = fh_from_bits((shifted & 0x007fffff) + 0x3f3504f3);
  const float f = m - 1.0f, e = static_cast<float>(exponent) - (tiny ? 23.0f : 0.0f);
  float p = fh_fma(f, 7.170645016e-02f, -1.160232400e-01f);
  p = fh_fma(p, f, 1.166797837e-01f);
  p = fh_fma(p, f, -1.240730362e-01f);
  p = fh_fma(p, f, 1.424897594e-01f);
  p = fh_fma(p, f, -1.666860739e-01f);
  p = fh_fma(p, f, 2.000073617e-01f);
  p = fh_fma(p, f, -2.499998794e-01f);
  p = fh_fma(p, f, 3.333333108e-01f);
  const float square = f * f;
  float r = fh_fma(p * f, square, fh_fma(e, -2.12194440e-4f, -0.5f * square));
  r = fh_fma(e, 0.693359375f, f + r);
  const float infinity = fh_from_bits(0x7f800000);
  r = x == infinity ? infinity : r;
  r = x == 0.0f ? -infinity : r;
  return x < 0.0f || fh_isnan(x) ? fh_from_bits(0x7fc00000) : r;
}

// log(1 + x) (Kahan): the rounding of 1 + x is undone by the quotient.
static __device__ inline float fh_log1p(float x) {
  const float u = 1.0f + x;
  const float d = u - 1.0f;
  const float corrected = fh_log(u) * (x / (d == 0.0f ? 1.0f : d));
  const bool plain = u > 1e8f || u <= 0.0f;
  return d == 0.0f ? x : plain ? fh_log(u) : corrected;
}

static __device__ inline float fh_tanh(float x) {
  const float a = fh_abs(x), s = a * a;
  float p = fh_fma(s, -6.001800617e-03f, 2.093142413e-02f);
  p = fh_fma(p, s, -5.383701649e-02f);
  p = fh_fma(p, s, 1.333267900e-01f);
  p = fh_fma(p, s, -3.333332807e-01f);
  const float small = fh_fma(p * s, a, a);
  const float large = 1.0f - 2.0f / (fh_exp(2.0f * a) + 1.0f);
  const float t = a < 0.625f ? small : large;
  return x < 0.0f ? -t : t;
}

// cos(pi a b) for |a b| < 2^22, within 3e-7: the product is taken exactly, so a large a costs nothing.
static __device__ inline float fh_cos_pi(float a, float b) {
  const float product = a * b, rest = fh_fma(a, b, -product);
  const float turns = fh_fma(product, 0.5f, 12582912.0f) - 12582912.0f;
  const float t = 0.5f - fh_abs(fh_fma(turns, -2.0f, product) + rest);  // the cosine is sin(pi t), t in [-1/2, 1/2]
  const float s = t * t;
  float p = fh_fma(s, 7.756039138e-02f, -5.982421412e-01f);
  p = fh_fma(p, s, 2.550069732e+00f);
  p = fh_fma(p, s, -5.167709685e+00f);
  p = fh_fma(p, s, 3.141592637e+00f);
  return p * t;
}
static __device__ inline double fh_cos_pi(double a, double b) {
  const double product = a * b, rest = fh_fma(a, b, -product);
  const double turns = fh_fma(product, 0.5, 6755399441055744.0) - 6755399441055744.0;
  return FH_PLAIN(cos)(3.14159265358979323846 * (fh_fma(turns, -2.0, product) + rest));
}

#if defined(FH_CUDA)
static __device__ inline double fh_exp(double x) { return exp(x); }
static __device__ inline double fh_log(double x) { return log(x); }
static __device__ inline double fh_log1p(double x) { return log1p(x); }
static __device__ inline double fh_tanh(double x) { return tanh(x); }
#else
static inline double fh_exp(double x) { return __builtin_exp(x); }
static inline double fh_log(double x) { return __builtin_log(x); }
static inline double fh_log1p(double x) { return __builtin_log1p(x); }
static inline double fh_tanh(double x) { return __builtin_tanh(x); }
#endif

template <class T>
static __device__ inline T fh_sigmoid(T x) { return T(1) / (T(1) + fh_exp(-x)); }
// log(1 + e^x), the identity above 20.
template <class T>
static __device__ inline T fh_softplus(T x) { return x > T(20) ? x : fh_log1p(fh_exp(x)); }
