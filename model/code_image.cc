#include "model/code_image.h"

namespace framegate::model {

namespace {

// Encodes identity fields only, nested code included.
class IdentityEncoder : public fields::Encoder {
 public:
  explicit IdentityEncoder(std::string* out) : fields::Encoder(out), out_(out) {}

  using fields::Encoder::operator();

  void operator()(const char*, const std::vector<Constant>& constants) {
    Put(uint64_t{constants.size()});
    for (const Constant& constant : constants)
      PutConstant(constant);
  }

 private:
  void PutConstant(const Constant& constant) {
    Constant flat = constant;
    flat.items.clear();
    flat.code.clear();
    Put(flat);
    Put(uint64_t{constant.items.size()});
    for (const Constant& item : constant.items)
      PutConstant(item);
    for (const auto& code : constant.code) {
      CodeId id = IdOf(*code);
      out_->append(reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size());
    }
  }

  std::string* out_;
};

}  // namespace

CodeId IdOf(const CodeImage& image) {
  std::string bytes;
  IdentityEncoder encoder(&bytes);
  CodeImage::VisitIdentity(encoder, image);
  return HashBytes(bytes);
}

}  // namespace framegate::model
