#include "client_ext/link/positions.h"

#include <algorithm>

namespace framegate::client {

namespace {

// Kinds of entries in a location table (CPython's Objects/locations.md): 0 to 9 are short forms.
constexpr int kOneLine = 10, kNoColumns = 13, kLong = 14, kNone = 15;
constexpr size_t kMaxUnits = 8;  // of one entry

class Reader {
 public:
  Reader(const uint8_t* at, const uint8_t* end, int line) : at_(at), end_(end), line_(line) {}

  bool more() const { return at_ < end_; }

  // The place of the next entry, and how many units it covers.
  Place Next(size_t* units) {
    const uint8_t first = *at_++;
    *units = static_cast<size_t>(first & 7) + 1;
    const int kind = first >> 3 & 15;
    if (kind == kNone)
      return {};
    if (kind == kLong) {
      line_ += Signed();
      Place place{line_, line_ + static_cast<int>(Number()), 0, 0};
      place.column = static_cast<int>(Number()) - 1;
      place.end_column = static_cast<int>(Number()) - 1;
      return place;
    }
    if (kind == kNoColumns) {
      line_ += Signed();
      return {line_, line_, -1, -1};
    }
    if (kind >= kOneLine) {
      line_ += kind - kOneLine;
      const int column = Byte(), end_column = Byte();
      return {line_, line_, column, end_column};
    }
    const int second = Byte();
    const int column = kind << 3 | (second >> 4 & 7);
    return {line_, line_, column, column + (second & 15)};
  }

 private:
  int Byte() { return at_ < end_ ? *at_++ : 0; }

  unsigned Number() {
    unsigned value = 0;
    for (int shift = 0; at_ < end_; shift += 6) {
      const unsigned byte = *at_++;
      value |= (byte & 63) << shift;
      if (!(byte & 64))
        break;
    }
    return value;
  }

  int Signed() {
    const unsigned value = Number();
    return value & 1 ? -static_cast<int>(value >> 1) : static_cast<int>(value >> 1);
  }

  const uint8_t* at_;
  const uint8_t* end_;
  int line_;
};

class Writer {
 public:
  explicit Writer(int first_line) : line_(first_line) {}

  void Add(const Place& place, size_t units) {
    for (; units > 0; units -= std::min(units, kMaxUnits))
      AddEntry(place, std::min(units, kMaxUnits));
  }

  std::string Take() { return std::move(out_); }

 private:
  void AddEntry(const Place& place, size_t units) {
    const bool columns = place.column >= 0 && place.end_column >= 0 && place.end_line >= place.line;
    const int kind = place.line < 0 ? kNone : columns ? kLong : kNoColumns;
    out_.push_back(static_cast<char>(0x80 | kind << 3 | static_cast<int>(units - 1)));
    if (kind == kNone)
      return;
    const int delta = place.line - line_;
    Number(delta < 0 ? static_cast<unsigned>(-delta) << 1 | 1 : static_cast<unsigned>(delta) << 1);
    line_ = place.line;
    if (kind == kNoColumns)
      return;
    Number(static_cast<unsigned>(place.end_line - place.line));
    Number(static_cast<unsigned>(place.column + 1));
    Number(static_cast<unsigned>(place.end_column + 1));
  }

  void Number(unsigned value) {
    for (; value > 63; value >>= 6)
      out_.push_back(static_cast<char>(64 | (value & 63)));
    out_.push_back(static_cast<char>(value));
  }

  int line_;
  std::string out_;
};

}  // namespace

std::vector<Place> PlacesOf(PyCodeObject* code) {
  const auto* table = reinterpret_cast<const uint8_t*>(PyBytes_AS_STRING(code->co_linetable));
  std::vector<Place> places;
  const auto size = static_cast<size_t>(Py_SIZE(code));
  Reader reader(table, table + PyBytes_GET_SIZE(code->co_linetable), code->co_firstlineno);
  while (reader.more() && places.size() < size) {
    size_t units = 0;
    const Place place = reader.Next(&units);
    places.insert(places.end(), std::min(units, size - places.size()), place);
  }
  return places;
}

std::string LocationTable(const std::vector<uint32_t>& origins, const std::vector<Place>& places, int first_line) {
  Writer writer(first_line);
  const auto place_of = [&](uint32_t origin) {  // what has no line is shown on the line before it: tracebacks need one
    while (origin < places.size() && origin > 0 && places[origin].line < 0)
      --origin;
    return origin < places.size() ? places[origin] : Place{};
  };
  for (size_t begin = 0, end; begin < origins.size(); begin = end) {
    const Place place = place_of(origins[begin]);
    for (end = begin + 1; end < origins.size() && place_of(origins[end]) == place; ++end) {
    }
    writer.Add(place, end - begin);
  }
  return writer.Take();
}

}  // namespace framegate::client
