// The double's reader of dialog scripts: strict, so that a script it takes has the form that the HDK page
// _h_d_k__h_d_a_intro__dialog_script shows.
#include <PRM/PRM_TemplateBuilder.h>

#include <set>
#include <sstream>
#include <stdexcept>

namespace {

class Words {
 public:
  explicit Words(const std::string& text) : mText(text) { advance(); }
  bool atEnd() const { return mEnd; }
  const std::string& peek() const { return mWord; }
  bool isBrace(char c) const { return !mEnd && !mQuoted && mWord == std::string(1, c); }
  std::string take() {
    if (mEnd) throw std::invalid_argument("the script ends too early");
    std::string word = mWord;
    advance();
    return word;
  }
  void expect(char c) {
    if (!isBrace(c)) throw std::invalid_argument(std::string("expected ") + c + ", got " + mWord);
    advance();
  }

 private:
  void advance() {
    while (mAt < mText.size() && std::isspace(static_cast<unsigned char>(mText[mAt]))) ++mAt;
    mEnd = mAt >= mText.size();
    mWord.clear();
    mQuoted = false;
    if (mEnd) return;
    if (mText[mAt] == '"') return takeQuoted();
    if (mText[mAt] == '{' || mText[mAt] == '}') {
      mWord = mText[mAt++];
      return;
    }
    while (mAt < mText.size() && !std::isspace(static_cast<unsigned char>(mText[mAt])) && mText[mAt] != '}')
      mWord += mText[mAt++];
  }
  void takeQuoted() {
    mQuoted = true;
    for (++mAt; mAt < mText.size() && mText[mAt] != '"'; ++mAt) {
      if (mText[mAt] == '\n') throw std::invalid_argument("a line ends inside quotes");
      if (mText[mAt] == '\\') ++mAt;
      mWord += mText[mAt];
    }
    if (mAt >= mText.size()) throw std::invalid_argument("quotes are not closed");
    ++mAt;
  }
  const std::string& mText;
  size_t mAt = 0;
  std::string mWord;
  bool mQuoted = false, mEnd = false;
};

std::vector<std::string> block(Words& words) {
  std::vector<std::string> items;
  words.expect('{');
  while (!words.isBrace('}')) items.push_back(words.take());
  words.expect('}');
  return items;
}

void setEnd(const std::string& word, std::optional<double>& end, bool& strict) {
  strict = word.back() == '!';
  end = std::stod(word);
}

void setRamp(PRM_Template& t, const std::string& text) {
  std::istringstream words(text);
  std::string word;
  while (words >> word)
    if (word != "(" && word != ")" && (std::isdigit(static_cast<unsigned char>(word.back())) != 0))
      t.rampDefaults.push_back(word);
}

/// One property of a parameter; false for a word that starts something else.
bool property(Words& words, PRM_Template& t) {
  const std::string key = words.peek();
  const auto value = [&] { return words.take(), words.take(); };
  if (key == "name")
    t.name = value();
  else if (key == "label")
    t.label = value();
  else if (key == "type")
    t.type = value();
  else if (key == "size")
    t.size = std::stoi(value());
  else if (key == "help")
    t.help = value();
  else if (key == "disablewhen")
    t.disableWhen = value();
  else if (key == "joinnext")
    words.take(), t.joinNext = true;
  else if (key == "nolabel")
    words.take(), t.noLabel = true;
  else if (key == "default")
    words.take(), t.defaults = block(words);
  else if (key == "range") {
    words.take();
    const std::vector<std::string> ends = block(words);
    setEnd(ends.at(0), t.low, t.lowStrict);
    setEnd(ends.at(1), t.high, t.highStrict);
  } else if (key == "menu") {
    words.take();
    const std::vector<std::string> items = block(words);
    for (size_t i = 0; i + 1 < items.size(); i += 2) t.menu.emplace_back(items[i], items[i + 1]);
  } else if (key == "parmtag" || key == "grouptag") {
    words.take();
    const std::vector<std::string> tag = block(words);
    t.tags[tag.at(0)] = tag.at(1);
    if (tag[0] == "rampfloatdefault") setRamp(t, tag[1]);
  } else {
    return false;
  }
  return true;
}

void check(const PRM_Template& t) {
  static const std::set<std::string> kTypes{"float", "log",    "integer", "toggle", "ordinal",
                                            "file",  "vector", "color",   "string", "ramp_flt"};
  if (!kTypes.count(t.type)) throw std::invalid_argument(t.name + " has no type: " + t.type);
  if (t.name.empty() || t.label.empty()) throw std::invalid_argument("a parameter has no name or label");
  if (t.defaults.size() != static_cast<size_t>(t.size))
    throw std::invalid_argument(t.name + " has not as many defaults as components");
  for (const char c : t.name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '#')
      throw std::invalid_argument(t.name + " is not a name that Houdini takes");
}

void body(Words& words, std::vector<PRM_Template>& list, const std::string& folder) {
  while (!words.isBrace('}')) {
    const std::string kind = words.take();
    if (kind == "name" || kind == "label") {
      words.take();
    } else if (kind == "grouptag") {
      block(words);
    } else if (kind == "parm" || kind == "multiparm") {
      words.expect('{');
      PRM_Template t;
      t.folder = folder;
      while (!words.isBrace('}'))
        if (!property(words, t)) {
          if (kind != "multiparm" || words.take() != "parm")
            throw std::invalid_argument("unknown word in a parameter: " + words.peek());
          words.expect('{');
          PRM_Template field;
          while (!words.isBrace('}'))
            if (!property(words, field)) throw std::invalid_argument("unknown word: " + words.peek());
          words.expect('}');
          check(field);
          t.fields.push_back(std::move(field));
        }
      words.expect('}');
      if (kind == "parm")
        check(t);
      else
        t.type = "multiparm";
      list.push_back(std::move(t));
    } else if (kind == "group") {
      words.expect('{');
      // Its label names the tab.
      std::string label;
      while (words.peek() == "name" || words.peek() == "label") {
        const bool isLabel = words.take() == "label";
        const std::string text = words.take();
        if (isLabel) label = text;
      }
      body(words, list, label);
      words.expect('}');
    } else {
      throw std::invalid_argument("unknown word: " + kind);
    }
  }
}

}  // namespace

PRM_TemplateBuilder::PRM_TemplateBuilder(const UT_StringHolder&, const char* dstext) {
  const std::string text(dstext);
  Words words(text);
  words.expect('{');
  body(words, mTemplates, "");
  words.expect('}');
  mTemplates.emplace_back();  // the list's end, as in Houdini
  mTemplates.front().list = &mTemplates;
  std::set<std::string> names;
  for (const PRM_Template& t : mTemplates)
    if (!t.name.empty() && !names.insert(t.name).second)
      throw std::invalid_argument(t.name + " is there twice");
}

void PRM_TemplateBuilder::setChoiceListPtr(const UT_StringRef& name, PRM_ChoiceList* list) {
  for (PRM_Template& t : mTemplates) {
    if (t.name == name.toStdString()) t.choices = list;
    for (PRM_Template& field : t.fields)
      if (field.name == name.toStdString()) field.choices = list;
  }
}
