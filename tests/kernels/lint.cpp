#include "lint.hpp"

#include <algorithm>
#include <functional>
#include <regex>

namespace foxhunt::kernels::test {
namespace {

using Matches = std::sregex_iterator;

// The text with comments and the insides of strings as blanks: positions and lines stay.
std::string code_of(const std::string& text) {
  std::string code = text;
  const auto blank = [&](size_t first, size_t last) {
    for (size_t i = first; i < std::min(last, code.size()); ++i)
      if (code[i] != '\n') code[i] = ' ';
    return std::min(last, code.size());
  };
  for (size_t i = 0; i < code.size();) {
    if (text.compare(i, 2, "//") == 0) {
      i = blank(i, text.find('\n', i));
    } else if (text.compare(i, 2, "/*") == 0) {
      const size_t end = text.find("*/", i + 2);
      i = blank(i, end == std::string::npos ? end : end + 2);
    } else if (text[i] == '"') {
      const size_t end = std::min(text.find('"', i + 1), text.find('\n', i));
      i = blank(i + 1, end) + 1;
    } else {
      ++i;
    }
  }
  return code;
}

// Position of the bracket that closes the one at `open`.
size_t closing(const std::string& code, size_t open) {
  const char o = code[open], c = o == '(' ? ')' : o == '[' ? ']' : '}';
  int depth = 0;
  for (size_t i = open; i < code.size(); ++i) {
    if (code[i] == o) ++depth;
    if (code[i] == c && --depth == 0) return i;
  }
  return code.size();
}

// End of the statement that begins at or after `i`, which may be a block, or a for, if or while with its own.
size_t statement_end(const std::string& code, size_t i) {
  i = std::min(code.find_first_not_of(" \t\n", i), code.size());
  if (i == code.size()) return i;
  if (code[i] == '{') return closing(code, i);
  static const std::regex head(R"((for|if|while|FH_FOR_ELEMENTS)\s*\()");
  std::smatch m;
  const auto from = code.begin() + static_cast<std::ptrdiff_t>(i);
  if (std::regex_search(from, code.end(), m, head, std::regex_constants::match_continuous))
    return statement_end(code, closing(code, i + static_cast<size_t>(m.length()) - 1) + 1);
  for (; i < code.size() && code[i] != ';'; ++i)
    if (code[i] == '(' || code[i] == '{') i = closing(code, i);
  return i;
}

struct Span {
  size_t first, last;
  bool holds(size_t i) const { return first <= i && i <= last; }
};

struct Function {
  std::string name;
  Span body;
};

// Definitions outside of any braces.
std::vector<Function> functions_of(const std::string& code) {
  std::vector<Function> found;
  static const std::regex name(R"((\w+)\s*$)");
  size_t begin = 0;
  for (size_t i = 0; i < code.size(); ++i) {
    if (code[i] == ';') begin = i + 1;
    if (code[i] != '{') continue;
    const size_t end = closing(code, i), open = code.find('(', begin);
    std::smatch m;
    const std::string before = code.substr(begin, std::min(open, i) - begin);
    if (open < i && std::regex_search(before, m, name)) found.push_back({m[1], {i, end}});
    i = end;
    begin = end + 1;
  }
  return found;
}

class Linter {
 public:
  Linter(const std::string& file, const std::string& text) : file_(file), text_(text), code_(code_of(text)) {}

  std::vector<std::string> run() {
    const bool common = file_.starts_with("common/");
    includes();
    if (!common) {
      warp_intrinsics();
      library_functions();
      early_returns();
      threads();
    }
    atomics();
    std::sort(found_.begin(), found_.end());
    std::vector<std::string> lines;
    for (const auto& [at, what] : found_)
      lines.push_back(file_ + ":" + std::to_string(1 + std::count(code_.begin(), code_.begin() + at, '\n')) +
                      ": " + what);
    return lines;
  }

 private:
  void report(size_t at, const std::string& what) {
    found_.emplace_back(static_cast<std::ptrdiff_t>(at), what);
  }

  static void each(const std::string& text, const std::regex& pattern,
                   const std::function<void(const std::smatch&, size_t)>& f) {
    for (Matches m(text.begin(), text.end(), pattern), end; m != end; ++m)
      f(*m, static_cast<size_t>(m->position()));
  }

  void includes() {
    static const std::regex any(R"(#[ \t]*include[ \t]*([^\n]*))");
    each(text_, any, [&](const std::smatch& m, size_t at) {
      if (code_[at] == '#' && !m[1].str().starts_with("\""))
        report(at, "#include " + m[1].str() + ": NVRTC has no system headers; include \"common/…\" alone");
    });
  }

  void warp_intrinsics() {
    static const std::regex intrinsic(
        R"(\b(__shfl\w*|__ballot\w*|__any\w*|__all\w*|__activemask|__syncwarp|__match_\w+|__reduce_\w+|warpSize|cooperative_groups)\b)");
    each(code_, intrinsic, [&](const std::smatch& m, size_t at) {
      report(at, m[1].str() +
                     ": warps are the business of common/ alone; use block_sum, block_max or "
                     "block_exclusive_scan");
    });
  }

  void library_functions() {
    static const std::regex call(
        R"((^|[^\w.>])(?:std\s*::\s*|::\s*)?((?:__builtin_|__)?(?:exp|exp2|exp10|expm1|log|log2|log10|log1p|tanh|sqrt|rsqrt|pow)f?)\s*\()");
    each(code_, call, [&](const std::smatch& m, size_t at) {
      report(
          at + static_cast<size_t>(m.length(1)),
          m[2].str() + "(): differs between compilers and does not vectorise; use fh_… of common/math.cuh");
    });
  }

  // An atomic is allowed where its target is declared as a pointer to integers in this file.
  void atomics() {
    static const std::regex call(R"(\b(atomic[A-Z]\w*)\s*\(\s*&?\s*\(?\s*(\w+))");
    each(code_, call, [&](const std::smatch& m, size_t at) {
      const std::regex integers(R"(\b(int|unsigned|long)\s*\*?\s*(__restrict__)?\s*(const)?\s*)" +
                                m[2].str() + R"(\b)");
      if (!std::regex_search(code_, integers))
        report(at, m[1].str() + " on '" + m[2].str() +
                       "', which is not declared as integers here: sums of floating-point "
                       "numbers in any order differ from run to run; use block_sum and a second pass");
    });
  }

  // Functions of this file that hold a barrier, directly or through each other.
  std::vector<std::string> barriers(const std::vector<Function>& functions) const {
    std::vector<std::string> names{"__syncthreads",        "block_sum",    "block_max", "block_sum_over",
                                   "block_exclusive_scan", "fh_block_tree"};
    for (bool grown = true; grown;) {
      grown = false;
      for (const Function& f : functions)
        if (std::find(names.begin(), names.end(), f.name) == names.end() && last_barrier(f, names) > 0) {
          names.push_back(f.name);
          grown = true;
        }
    }
    return names;
  }

  size_t last_barrier(const Function& f, const std::vector<std::string>& names) const {
    size_t last = 0;
    const std::string body = code_.substr(f.body.first, f.body.last - f.body.first);
    static const std::regex call(R"(\b(\w+)\s*\()");
    each(body, call, [&](const std::smatch& m, size_t at) {
      if (std::find(names.begin(), names.end(), m[1].str()) != names.end()) last = f.body.first + at;
    });
    return last;
  }

  void early_returns() {
    const auto functions = functions_of(code_);
    const auto names = barriers(functions);
    std::vector<Span> lambdas;
    static const std::regex lambda(R"(\[[^\[\]]*\]\s*\([^()]*\)\s*\{)");
    each(code_, lambda, [&](const std::smatch& m, size_t at) {
      lambdas.push_back({at, closing(code_, at + static_cast<size_t>(m.length()) - 1)});
    });
    static const std::regex leave(R"(\breturn\b)");
    for (const Function& f : functions) {
      const size_t last = last_barrier(f, names);
      each(code_, leave, [&](const std::smatch&, size_t at) {
        const bool own = f.body.holds(at) && std::none_of(lambdas.begin(), lambdas.end(),
                                                          [&](const Span& s) { return s.holds(at); });
        if (own && statement_end(code_, at) < last)
          report(at,
                 "return before a barrier: threads that leave here are waited for; put a condition around "
                 "the work");
      });
    }
  }

  void threads() {
    // Loops whose step is a whole block, with their bodies.
    std::vector<Span> strided;
    static const std::regex loop(R"(\b(for|while)\s*\()");
    static const std::regex step(R"(\+=\s*blockDim\.x\s*$)");
    each(code_, loop, [&](const std::smatch& m, size_t at) {
      const size_t open = at + static_cast<size_t>(m.length()) - 1, close = closing(code_, open);
      const std::string head = code_.substr(open + 1, close - open - 1);
      if (std::regex_search(head, step)) strided.push_back({at, statement_end(code_, close + 1)});
      if (head.find("blockIdx") != std::string::npos &&
          !std::regex_search(head, std::regex(R"(\+=\s*gridDim\.x\s*$)")))
        report(at,
               "a loop over blocks that is not right for any grid: write for (b = blockIdx.x; b < n; b += "
               "gridDim.x)");
    });
    static const std::regex thread(R"(\bthreadIdx\s*\.\s*(\w)(\s*==\s*0\b)?)");
    each(code_, thread, [&](const std::smatch& m, size_t at) {
      if (m[1] != "x") report(at, "threadIdx." + m[1].str() + ": blocks have one dimension");
      const bool covered = m[2].matched || std::any_of(strided.begin(), strided.end(),
                                                       [&](const Span& s) { return s.holds(at); });
      if (!covered)
        report(at,
               "threadIdx.x outside of a loop in steps of blockDim.x: right for some block sizes only; write "
               "for (i = "
               "threadIdx.x; i < n; i += blockDim.x) or FH_FOR_ELEMENTS(i, n)");
    });
    static const std::regex element(R"(\bblockIdx\.x\s*\)?\s*\*\s*blockDim\.x)");
    each(code_, element, [&](const std::smatch&, size_t at) {
      report(at, "an element of the grid by hand: write FH_FOR_ELEMENTS(i, n), which is right for any grid");
    });
  }

  std::string file_;
  const std::string& text_;
  std::string code_;
  std::vector<std::pair<std::ptrdiff_t, std::string>> found_;
};

}  // namespace

std::vector<std::string> lint(const std::string& file, const std::string& text) {
  return Linter(file, text).run();
}

}  // namespace foxhunt::kernels::test
