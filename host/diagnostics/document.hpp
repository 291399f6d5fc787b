#pragma once
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace foxhunt::diagnostics {

/// A JSON object in the making; keys keep their order. NaN and infinities become the strings "nan", "inf",
/// "-inf".
class Document {
 public:
  Document();
  Document(const Document&);
  Document(Document&&) noexcept;
  Document& operator=(Document) noexcept;
  ~Document();

  template <class T>
  Document& add(std::string_view key, const T& value) {
    if constexpr (std::same_as<T, bool>) {
      return add_flag(key, value);
    } else if constexpr (std::integral<T>) {
      return add_integer(key, static_cast<std::int64_t>(value));
    } else if constexpr (std::floating_point<T>) {
      return add_real(key, value);
    } else {
      return add_text(key, value);
    }
  }
  Document& add(std::string_view key, const Document& value);
  Document& add(std::string_view key, const std::vector<Document>& values);
  Document& add(std::string_view key, const std::vector<std::string>& values);
  Document& add(std::string_view key, const std::vector<double>& values);

  /// Indented text with a line end.
  std::string str() const;
  /// @throws Error naming the file.
  void write(const std::filesystem::path& path) const;

 private:
  struct Impl;
  Document& add_flag(std::string_view key, bool value);
  Document& add_integer(std::string_view key, std::int64_t value);
  Document& add_real(std::string_view key, double value);
  Document& add_text(std::string_view key, std::string_view value);
  std::unique_ptr<Impl> impl_;
};

}  // namespace foxhunt::diagnostics
