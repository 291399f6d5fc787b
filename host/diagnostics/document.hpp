#pragma once
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foxhunt::diagnostics {

/// A JSON object, in the making or read back; keys keep their order. NaN and infinities become the strings
/// "nan", "inf", "-inf".
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

  /// Nothing if `json` is no JSON object.
  static std::optional<Document> parse(std::string_view json);
  /// Members read back; nothing, or none, where there is no such key or it holds something else.
  std::optional<std::string> text(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
  bool flag(std::string_view key) const;  ///< true if it is there and true
  std::optional<Document> object(std::string_view key) const;
  std::vector<Document> objects(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;

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
