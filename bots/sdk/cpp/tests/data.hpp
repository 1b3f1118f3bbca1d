// The bytes that the platform made for the tests of every SDK, and what is to be read from them.
#pragma once

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "arena/v1/play.pb.h"

namespace arena {

using Json = google::protobuf::Value;

inline std::string content(const std::string& file) {
  std::ifstream stream(std::string(TESTDATA) + "/" + file, std::ios::binary);
  if (!stream) throw std::runtime_error("no " + file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct Data {
  explicit Data(const std::string& variant) {
    start.ParseFromString(content(variant + ".game_start.bin"));
    decides.ParseFromString(content(variant + ".decides.bin"));
    if (!google::protobuf::util::JsonStringToMessage(content(variant + ".json"), &said).ok()) {
      throw std::runtime_error(variant + ".json is not JSON");
    }
  }
  // A member of an object of what the platform said.
  static const Json& at(const Json& object, const std::string& name) { return object.struct_value().fields().at(name); }
  static const Json& at(const google::protobuf::Struct& object, const std::string& name) {
    return object.fields().at(name);
  }

  v1::GameStart start;
  v1::DecideBatch decides;
  google::protobuf::Struct said;
};

template <class Numbers>
std::vector<int> ints(const Numbers& numbers) {
  return {numbers.begin(), numbers.end()};
}

inline std::vector<int> ints(const Json& list) {
  std::vector<int> read;
  for (const Json& value : list.list_value().values()) read.push_back(static_cast<int>(value.number_value()));
  return read;
}

inline std::vector<std::string> texts(const Json& list) {
  std::vector<std::string> read;
  for (const Json& value : list.list_value().values()) read.push_back(value.string_value());
  return read;
}

inline int number(const Json& object, const std::string& name) {
  return static_cast<int>(Data::at(object, name).number_value());
}

}  // namespace arena
