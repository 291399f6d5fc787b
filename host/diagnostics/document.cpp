#include "document.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "common/files.hpp"

namespace foxhunt::diagnostics {

using Json = nlohmann::ordered_json;

struct Document::Impl {
  Json json = Json::object();
};

namespace {

Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

}  // namespace

Document::Document() : impl_(std::make_unique<Impl>()) {}
Document::Document(const Document& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
Document::Document(Document&&) noexcept = default;
Document::~Document() = default;
Document& Document::operator=(Document other) noexcept {
  impl_.swap(other.impl_);
  return *this;
}

Document& Document::add_flag(std::string_view key, bool value) {
  impl_->json[std::string(key)] = value;
  return *this;
}
Document& Document::add_integer(std::string_view key, std::int64_t value) {
  impl_->json[std::string(key)] = value;
  return *this;
}
Document& Document::add_real(std::string_view key, double value) {
  impl_->json[std::string(key)] = number(value);
  return *this;
}
Document& Document::add_text(std::string_view key, std::string_view value) {
  impl_->json[std::string(key)] = std::string(value);
  return *this;
}
Document& Document::add(std::string_view key, const Document& value) {
  impl_->json[std::string(key)] = value.impl_->json;
  return *this;
}
Document& Document::add(std::string_view key, const std::vector<Document>& values) {
  Json& array = impl_->json[std::string(key)] = Json::array();
  for (const Document& value : values) array.push_back(value.impl_->json);
  return *this;
}
Document& Document::add(std::string_view key, const std::vector<std::string>& values) {
  impl_->json[std::string(key)] = values;
  return *this;
}
Document& Document::add(std::string_view key, const std::vector<double>& values) {
  Json& array = impl_->json[std::string(key)] = Json::array();
  for (const double value : values) array.push_back(number(value));
  return *this;
}

std::string Document::str() const {
  // Paths and messages of the system may hold any bytes; JSON is UTF-8.
  return impl_->json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void Document::write(const std::filesystem::path& path) const { write_file_atomic(path, str()); }

}  // namespace foxhunt::diagnostics
