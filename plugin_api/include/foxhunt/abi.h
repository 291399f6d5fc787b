/* foxhunt plugin ABI.
 *
 * The boundary between the program and a plugin is plain C: PODs, function tables that only ever grow at
 * their end (each begins with its own size), a status and a text instead of exceptions. C++ authors use
 * plugin.hpp, a thin layer over this file.
 *
 * A plugin never sees a pointer into device memory. It *records* what is to be done, once, at start: kernel
 * launches and matrix products over tensor handles, each with its declared access. The program replays the
 * recording every iteration. Since every handle carries the rights its holder has, a plugin cannot record a
 * write to a tensor that is not its own.
 */
#ifndef FOXHUNT_ABI_H
#define FOXHUNT_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FH_ABI_MAJOR 1 /* differs: refused */
#define FH_ABI_MINOR 3 /* program's must be >= plugin's */
#define FH_MAGIC "FOXHUNT"
#define FH_SECTION ".foxhunt_plugin"
#define FH_ENTRY_SYMBOL "foxhunt_plugin_entry"
#define FH_MAX_RANK 4

typedef int32_t fh_status;
#define FH_OK 0
#define FH_ERROR 1

typedef enum fh_kind { FH_Q_HEAD = 1, FH_REWARD_SHAPER = 2, FH_POSITION_SIZER = 3 } fh_kind;

/* The build of a plugin must match the program's in what the C ABI depends on: the processor and the sanitizer
 * runtime. Compiler and C++ library are free. */
#if defined(__x86_64__)
#define FH_ARCH "x86_64"
#elif defined(__aarch64__)
#define FH_ARCH "aarch64"
#else
#error "foxhunt plugins are built for x86_64 or aarch64"
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FH_SANITIZER "address"
#elif __has_feature(thread_sanitizer)
#define FH_SANITIZER "thread"
#endif
#endif
#if !defined(FH_SANITIZER) && defined(__SANITIZE_ADDRESS__)
#define FH_SANITIZER "address"
#elif !defined(FH_SANITIZER) && defined(__SANITIZE_THREAD__)
#define FH_SANITIZER "thread"
#endif
#ifndef FH_SANITIZER
#define FH_SANITIZER "none"
#endif
#define FH_FINGERPRINT FH_ARCH " abi1 sanitizer=" FH_SANITIZER

/* fh_descriptor::flags */
#define FH_SEALED 1u /* the file ends with a seal (FH_SEAL_TAG): without it, or with another, it is refused */

/* The last line of a sealed file: this tag, the SHA-256 of all bytes before the tag as 64 lower-case hex digits,
 * a newline. foxhunt_add_plugin() writes it after linking. */
#define FH_SEAL_TAG "\nFOXHUNT-SEAL sha256 "

/* Lives in its own section of the shared object and holds no pointer: the program reads it from the bytes of
 * the file, before any code of the plugin runs. Unused bytes of the strings are 0. */
typedef struct fh_descriptor {
  char magic[8]; /* FH_MAGIC */
  uint32_t size; /* sizeof(fh_descriptor) */
  uint16_t abi_major, abi_minor;
  uint32_t kind;     /* fh_kind */
  uint32_t flags;    /* FH_SEALED */
  uint32_t checksum; /* FNV-1a (32 bits) over all bytes of the descriptor, these four taken as 0 */
  uint32_t reserved; /* 0 */
  char name[48];     /* [a-z][a-z0-9_]* */
  char version[24];
  char description[160]; /* one line */
  char fingerprint[64];  /* FH_FINGERPRINT: must equal the program's */
} fh_descriptor;

/* ---- tensors ---------------------------------------------------------------------------------------- */

typedef enum fh_dtype { FH_F32 = 0, FH_I32 = 1, FH_U32 = 2, FH_U8 = 3, FH_F64 = 4, FH_I64 = 5, FH_U64 = 6 } fh_dtype;

/* A handle, valid in the recorder that gave it. 0 is "no tensor". */
typedef uint32_t fh_tensor;

typedef struct fh_shape {
  uint32_t rank; /* 0: a scalar */
  uint32_t reserved;
  int64_t dim[FH_MAX_RANK];
} fh_shape;

/* ---- kernels ---------------------------------------------------------------------------------------- */

typedef enum fh_role { FH_SCALAR = 0, FH_IN = 1, FH_OUT = 2, FH_INOUT = 3 } fh_role;

/* One parameter as in the kernel's signature: FH_IN is `const T*`, FH_OUT and FH_INOUT are `T*`, FH_SCALAR is
 * `T`. The signature is checked against this when the kernel is compiled: a kernel cannot write what it only
 * declares to read. */
typedef struct fh_kernel_param {
  const char* name;
  uint8_t dtype; /* fh_dtype */
  uint8_t role;  /* fh_role */
  uint8_t flags; /* FH_INDEXED */
} fh_kernel_param;

/* Only some elements are touched, at indices found at run time (a replay's ring, a market's rows): `foxhunt bench`
 * leaves the tensor out of the bytes that a launch must at least move. */
#define FH_INDEXED 1u

/* A compile-time constant (a macro of the kernel's source). Real values are given in `real`, others in `integer`. */
typedef struct fh_constant {
  const char* name;
  int64_t integer;
  double real;
  uint32_t is_real;
  uint32_t reserved;
} fh_constant;

/* Declaration of a kernel: `extern "C" __global__ void entry(...)` in `file`. Static storage. */
typedef struct fh_kernel {
  uint32_t size;
  uint32_t block;   /* threads per block on a GPU; the kernel must be right for any number */
  const char* file; /* name below kernels_src/, or of one of the plugin's own sources */
  const char* entry;
  const fh_kernel_param* params;
  uint32_t param_count;
  uint32_t constant_count;
  const char* const* constants; /* names of the constants that the source needs */
  /* Dynamic shared memory in bytes for a block of `block_dim` threads; `constants` in the order above
   * (reals rounded). Null: none. */
  uint64_t (*shared_bytes)(const int64_t* constants, uint32_t block_dim);
} fh_kernel;

typedef struct fh_argument {
  fh_tensor tensor; /* for FH_IN, FH_OUT, FH_INOUT */
  uint32_t reserved;
  union {
    float f32;
    int32_t i32;
    uint32_t u32;
    uint8_t u8;
    double f64;
    int64_t i64;
    uint64_t u64;
  } scalar; /* for FH_SCALAR */
} fh_argument;

typedef enum fh_grid_kind {
  FH_GRID_BLOCKS = 0,  /* `count` blocks; what a block does depends on blockIdx.x */
  FH_GRID_ELEMENTS = 1 /* `count` independent elements in FH_FOR_ELEMENTS; the backend picks the blocks */
} fh_grid_kind;

typedef struct fh_launch {
  uint32_t size;
  uint32_t grid_kind; /* fh_grid_kind */
  const fh_kernel* kernel;
  uint64_t count; /* 0: nothing is launched */
  const fh_argument* arguments;
  uint32_t argument_count;
  uint32_t constant_count;
  const fh_constant* constants; /* a value for each name in kernel->constants, any order */
} fh_launch;

/* C[m,n] = alpha * op(A)[m,k] op(B)[k,n] + beta * C + bias[n]. Row-major f32. A tensor of rank > 2 counts as a
 * matrix of its last dimension; rank 1 as one row. */
typedef struct fh_gemm {
  uint32_t size;
  fh_tensor a, b, c;
  fh_tensor bias; /* [n], or 0 */
  uint32_t transpose_a, transpose_b;
  float alpha, beta;
  uint32_t flags; /* FH_GEMM_F32; 0 if `size` ends before it */
} fh_gemm;

/* The inputs are never rounded to TF32: for logits, whose errors the gradient of a cross-entropy (p - target)
 * magnifies as the two come close. */
#define FH_GEMM_F32 1u

/* ---- recording -------------------------------------------------------------------------------------- */

typedef struct fh_recorder fh_recorder;

typedef struct fh_recorder_api {
  uint32_t size;
  uint32_t reserved;
  /* Working memory of this recording, undefined until written; not part of the state. */
  fh_status (*scratch)(fh_recorder*, const char* name, uint32_t dtype, const fh_shape*, fh_tensor* out);
  /* A window of `tensor`: `shape` elements from element `offset` on, contiguous. Same rights. */
  fh_status (*view)(fh_recorder*, fh_tensor tensor, int64_t offset, const fh_shape*, fh_tensor* out);
  fh_status (*shape)(fh_recorder*, fh_tensor tensor, fh_shape* out);
  fh_status (*launch)(fh_recorder*, const fh_launch*);
  fh_status (*gemm)(fh_recorder*, const fh_gemm*);
  fh_status (*fill)(fh_recorder*, fh_tensor, double value);
  fh_status (*copy)(fh_recorder*, fh_tensor to, fh_tensor from);
  /* Key of the Philox stream `purpose` of this instance: no other consumer has it. */
  fh_status (*stream)(fh_recorder*, const char* purpose, uint32_t key[2]);
  /* Why the last call on this recorder failed. Never null. */
  const char* (*error)(fh_recorder*);
  /* f32 random numbers that may be given from outside, under their name. `out`: the tensor to use, 0 for scratch of the
   * plugin's own; `filled`: 1 if they are there already (then it may only be read), else the plugin draws them. */
  fh_status (*noise)(fh_recorder*, const char* name, const fh_shape*, fh_tensor* out, uint32_t* filled);
} fh_recorder_api;

/* ---- what a plugin declares -------------------------------------------------------------------------- */

typedef struct fh_source {
  const char* name; /* as in fh_kernel::file */
  const char* text;
} fh_source;

typedef enum fh_option_type { FH_OPTION_INT = 1, FH_OPTION_REAL = 2, FH_OPTION_BOOL = 3, FH_OPTION_CHOICE = 4 } fh_option_type;

typedef struct fh_option {
  const char* name;
  const char* help;
  const char* choices; /* FH_OPTION_CHOICE: "a|b|c" */
  uint32_t type;       /* fh_option_type */
  uint32_t default_choice;
  double default_value, minimum, maximum; /* inclusive; ints and bools exactly representable */
} fh_option;

/* Value of the option with the same index in fh_plugin::options. A choice is its index. */
typedef struct fh_option_value {
  double number;
} fh_option_value;

typedef enum fh_init {
  FH_INIT_CONSTANT = 0,       /* value */
  FH_INIT_GLOROT_UNIFORM = 1, /* U(-a, a), a = value * sqrt(6 / (fan_in + fan_out)) (Glorot & Bengio 2010, eq. 16) */
  FH_INIT_NORMAL = 2,         /* N(0, value^2) */
  FH_INIT_ORTHOGONAL = 3,     /* value * orthogonal (Saxe et al. 2014) */
  FH_INIT_UNIFORM = 4         /* U(-value, value) */
} fh_init;

/* A tensor the program keeps for the plugin: shape, names for the checkpoint, initial value. */
typedef struct fh_declared {
  const char* name; /* dataset name in the checkpoint */
  fh_shape shape;
  const char* axes[FH_MAX_RANK];
  uint32_t dtype; /* parameters are FH_F32 */
  uint32_t init;  /* fh_init; fans are the first and the last dimension */
  double value;
} fh_declared;

/* An output of a Q head. Dimension 0 is the batch (-1 here). Names and shapes with a meaning to the program:
 * expected_q[B,N] variance_q[B,N] log_probs[B,N,Z] quantiles[B,K,N] state_value[B] advantage[B,N], and support[Z]
 * (no batch: the values of the atoms of log_probs, written by every infer). */
typedef struct fh_output {
  const char* name;
  fh_shape shape;
} fh_output;

typedef struct fh_create {
  uint32_t size;
  uint32_t hidden;  /* H: width of h */
  uint32_t actions; /* N */
  uint32_t option_count;
  const fh_option_value* options;
  double gamma;
} fh_create;

typedef struct fh_message {
  char* text; /* buffer of the program's, always 0-terminated */
  uint32_t capacity;
  uint32_t reserved;
} fh_message;

typedef struct fh_list {
  const void* items; /* owned by the instance, valid while it lives */
  uint32_t count;
  uint32_t reserved;
} fh_list;

/* ---- Q heads ------------------------------------------------------------------------------------------ */

/* What an instance reads beside h. V is the value head's, a function of h with weights that are not the head's own. */
#define FH_READS_VALUE 1u

typedef struct fh_infer {
  uint32_t size;
  uint32_t salt;             /* distinguishes several recordings in one iteration: goes into random counters */
  const fh_tensor* weights;  /* [in] one per parameter */
  const fh_tensor* outputs;  /* [out] one per offered output; 0: not wanted */
  fh_tensor h;               /* [in] [B,H] */
  fh_tensor step;            /* [in] u64 scalar: the iteration, in device memory */
  fh_tensor value;           /* 1.3: [in] f32 [B]: the value head's V(h), where the head reads it (FH_READS_VALUE); else 0 */
  const fh_tensor* controllers; /* 1.3: [in] one per controller */
} fh_infer;

typedef struct fh_learn {
  uint32_t size;
  uint32_t salt;
  const fh_tensor* online;      /* [in]    one per parameter */
  const fh_tensor* target;      /* [in]    one per parameter */
  const fh_tensor* gradient;    /* [out]   one per parameter: d(batch mean of loss)/d(parameter), all written */
  const fh_tensor* controllers; /* [inout] one per controller */
  fh_tensor h, h_next;          /* [in]    [B,H] */
  fh_tensor action;             /* [in]    i32 [B] */
  fh_tensor reward;             /* [in]    f32 [B], n-step sum, shaped and scaled */
  fh_tensor discount;           /* [in]    f32 [B], gamma^n, 0 where terminated: y = reward + discount * value(h_next) */
  fh_tensor step;               /* [in]    u64 scalar */
  fh_tensor loss;               /* [out]   f32 [B], per sample */
  fh_tensor grad_h;             /* [out]   f32 [B,H], or 0: d(batch mean of loss)/dh */
  fh_tensor target_out;         /* [out]   the head's target, shape fh_q_head::target_shape, or 0 */
  fh_tensor value, value_next;  /* [in]    f32 [B]: the value head's V(h), V(h_next), where the head reads them; else 0 */
  fh_tensor grad_value;         /* [out]   f32 [B]: d(batch mean of loss)/dV(h), added to the value head's gradient; or 0 */
  /* 1.2: [in] [B,H], or 0: the next state's h by the *online* encoder, for what the online net says of it. h_next is by
   * the target encoder where Q losses train the encoder; where they do not there is one h, and this is 0. */
  fh_tensor h_select;
} fh_learn;

typedef struct fh_q_head {
  uint32_t size;
  uint32_t reserved;
  fh_status (*create)(const fh_create*, void** self, fh_message*);
  void (*destroy)(void* self);
  fh_list (*parameters)(void* self);  /* fh_declared */
  fh_list (*controllers)(void* self); /* fh_declared */
  fh_list (*outputs)(void* self);     /* fh_output */
  fh_list (*constants)(void* self);   /* fh_constant: all this instance uses, for `compile` and the metrics */
  fh_shape (*target_shape)(void* self); /* of one target, dimension 0 is the batch (-1); rank 0: none */
  fh_status (*infer)(void* self, fh_recorder*, const fh_recorder_api*, const fh_infer*, fh_message*);
  fh_status (*learn)(void* self, fh_recorder*, const fh_recorder_api*, const fh_learn*, fh_message*);
  uint32_t (*reads)(void* self); /* 1.3: FH_READS_…; nothing if `size` ends before it, or null */
} fh_q_head;

/* ---- reward shapers ------------------------------------------------------------------------------------ */

typedef struct fh_shape_reward {
  uint32_t size;
  uint32_t salt;
  const fh_tensor* controllers; /* [inout] */
  fh_tensor reward;             /* [in]  f32 [n]: scaled raw rewards of one rollout */
  fh_tensor shaped;             /* [out] f32 [n] */
  fh_tensor step;               /* [in]  u64 scalar */
  uint32_t update_controllers;  /* 0: use them as they are */
} fh_shape_reward;

typedef struct fh_reward_shaper {
  uint32_t size;
  uint32_t reserved;
  fh_status (*create)(const fh_create*, void** self, fh_message*);
  void (*destroy)(void* self);
  fh_list (*controllers)(void* self); /* fh_declared */
  fh_list (*constants)(void* self);   /* fh_constant */
  fh_status (*shape)(void* self, fh_recorder*, const fh_recorder_api*, const fh_shape_reward*, fh_message*);
} fh_reward_shaper;

/* ---- position sizers ----------------------------------------------------------------------------------- */

typedef struct fh_size_position {
  uint32_t size;
  uint32_t salt;
  fh_tensor variance_q;      /* [in]  f32 [B,N] of the risk source, or 0 */
  fh_tensor expected_q;      /* [in]  f32 [B,N] of the risk source, or 0 */
  fh_tensor log_probs;       /* [in]  f32 [B,N,Z] of the risk source, or 0 */
  fh_tensor support;         /* [in]  f32 [Z], or 0 */
  fh_tensor action;          /* [in]  i32 [B] */
  fh_tensor target_position; /* [in]  f32 [B], lots: what the action asks for */
  fh_tensor scale;           /* [out] f32 [B] */
  fh_tensor position;        /* [out] f32 [B], lots, before rounding to whole lots */
  fh_tensor step;            /* [in]  u64 scalar */
} fh_size_position;

/* What the sizer reads of the risk source. */
#define FH_NEEDS_VARIANCE_Q 1u
#define FH_NEEDS_EXPECTED_Q 2u
#define FH_NEEDS_LOG_PROBS 4u
#define FH_NEEDS_SUPPORT 8u

typedef struct fh_position_sizer {
  uint32_t size;
  uint32_t needs; /* FH_NEEDS_… */
  fh_status (*create)(const fh_create*, void** self, fh_message*);
  void (*destroy)(void* self);
  fh_list (*constants)(void* self); /* fh_constant */
  fh_status (*apply)(void* self, fh_recorder*, const fh_recorder_api*, const fh_size_position*, fh_message*);
} fh_position_sizer;

/* ---- entry --------------------------------------------------------------------------------------------- */

typedef struct fh_plugin {
  uint32_t size;
  uint32_t kind; /* as in the descriptor */
  const fh_option* options;
  const fh_kernel* const* kernels;
  const fh_source* sources;
  uint32_t option_count, kernel_count, source_count, reserved;
  union {
    const fh_q_head* q_head;
    const fh_reward_shaper* reward_shaper;
    const fh_position_sizer* position_sizer;
  } api;
} fh_plugin;

/* Exported by the shared object under FH_ENTRY_SYMBOL. */
typedef const fh_plugin* (*fh_entry)(void);

#ifdef __cplusplus
}
#endif
#endif
