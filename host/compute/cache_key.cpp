#include "cache.hpp"

namespace foxhunt::compute {
namespace {

// Every part is preceded by its length, so no two lists of parts give the same bytes.
class KeyOf {
 public:
  KeyOf& add(std::string_view part) {
    const uint64_t length = part.size();
    hash_.add(&length, sizeof length).add(part);
    return *this;
  }
  CacheKey key() { return hash_.digest(); }

 private:
  Sha256 hash_;
};

}  // namespace

CacheKey unit_key(const UnitSource& source, std::string_view target, std::string_view compiler,
                  const std::vector<std::string>& options) {
  KeyOf key;
  key.add("foxhunt compiled kernels 1").add(target).add(compiler).add(std::to_string(options.size()));
  for (const std::string& option : options) key.add(option);
  key.add(source.text);
  for (const IncludeFile& include : source.includes) key.add(include.name).add(include.text);
  return key.key();
}

CacheKey cubin_key(const UnitSource& source, std::string_view arch, bool parity, std::string_view compiler) {
  return unit_key(source, arch, compiler, {parity ? "parity" : "fast"});
}

}  // namespace foxhunt::compute
