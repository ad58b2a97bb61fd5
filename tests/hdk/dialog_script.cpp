// The double's reader of dialog scripts: strict, so that a script it takes has the form that the HDK page
// _h_d_k__h_d_a_intro__dialog_script shows and that all of 408 public scripts have: keys in Houdini's order,
// as many defaults as components, a range for every number, nothing in a multiparm that they never have.
#include <PRM/PRM_TemplateBuilder.h>

#include <algorithm>
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
      if (mText[mAt] != '\\') {
        mWord += mText[mAt];
        continue;
      }
      const char escaped = mText.at(++mAt);
      if (std::string("\"\\nr").find(escaped) == std::string::npos)
        throw std::invalid_argument(std::string("there is no escape \\") + escaped);
      mWord += escaped == 'n' ? '\n' : escaped == 'r' ? '\r' : escaped;
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

/// A property must not come before one that stood earlier.
void checkOrder(const std::string& key, size_t& reached, const std::vector<std::string>& order) {
  const auto place = std::find(order.begin(), order.end(), key);
  if (place == order.end()) throw std::invalid_argument("unknown word: " + key);
  const size_t at = static_cast<size_t>(place - order.begin());
  if (at < reached || (at == reached && reached > 0 && key != "parmtag"))
    throw std::invalid_argument(key + " is out of order");
  reached = at;
}

void readRange(Words& words, PRM_Template& t) {
  const std::vector<std::string> ends = block(words);
  if (ends.size() != 2) throw std::invalid_argument("a range has two ends");
  setEnd(ends[0], t.low, t.lowStrict);
  setEnd(ends[1], t.high, t.highStrict);
  if (!(*t.low < *t.high)) throw std::invalid_argument("a range is empty");
}

void readTag(Words& words, PRM_Template& t) {
  const std::vector<std::string> tag = block(words);
  if (tag.size() != 2) throw std::invalid_argument("a tag has a key and a value");
  t.tags[tag[0]] = tag[1];
  if (tag[0] == "rampfloatdefault") setRamp(t, tag[1]);
}

/// The properties of a parm, up to its closing brace.
void parmProperties(Words& words, PRM_Template& t) {
  static const std::vector<std::string> kOrder{"name",        "label", "type",    "nolabel",
                                               "joinnext",    "size",  "default", "help",
                                               "disablewhen", "menu",  "range",   "parmtag"};
  size_t reached = 0;
  while (!words.isBrace('}')) {
    const std::string key = words.take();
    checkOrder(key, reached, kOrder);
    if (key == "name")
      t.name = words.take();
    else if (key == "label")
      t.label = words.take();
    else if (key == "type")
      t.type = words.take();
    else if (key == "size")
      t.size = std::stoi(words.take());
    else if (key == "help")
      t.help = words.take();
    else if (key == "disablewhen")
      t.disableWhen = words.take();
    else if (key == "joinnext")
      t.joinNext = true;
    else if (key == "nolabel")
      t.noLabel = true;
    else if (key == "default")
      t.defaults = block(words);
    else if (key == "range")
      readRange(words, t);
    else if (key == "parmtag")
      readTag(words, t);
    else {
      const std::vector<std::string> items = block(words);
      if (items.size() % 2 != 0) throw std::invalid_argument("a menu has pairs");
      for (size_t i = 0; i < items.size(); i += 2) t.menu.emplace_back(items[i], items[i + 1]);
    }
  }
}

void check(const PRM_Template& t) {
  static const std::set<std::string> kTypes{"float", "log",    "integer", "toggle", "ordinal",
                                            "file",  "vector", "color",   "string", "ramp_flt"};
  static const std::set<std::string> kNumbers{"float", "log", "integer", "vector", "color", "ramp_flt"};
  if (!kTypes.count(t.type)) throw std::invalid_argument(t.name + " has no type: " + t.type);
  if (t.name.empty() || t.label.empty()) throw std::invalid_argument("a parameter has no name or label");
  if (t.defaults.size() != static_cast<size_t>(t.size))
    throw std::invalid_argument(t.name + " has not as many defaults as components");
  if (kNumbers.count(t.type) != 0 && !t.low) throw std::invalid_argument(t.name + " has no range");
  if (!t.menu.empty() && t.type != "ordinal") throw std::invalid_argument(t.name + " has a menu");
  for (const char c : t.name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '#')
      throw std::invalid_argument(t.name + " is not a name that Houdini takes");
}

PRM_Template readParm(Words& words) {
  PRM_Template t;
  words.expect('{');
  parmProperties(words, t);
  words.expect('}');
  check(t);
  return t;
}

/// Name, label and number of records, then the fields. It has no help, and its default has no braces.
PRM_Template readMultiparm(Words& words) {
  PRM_Template t;
  words.expect('{');
  size_t reached = 0;
  while (!words.isBrace('}')) {
    const std::string key = words.take();
    checkOrder(key, reached, {"", "name", "label", "default", "parmtag", "parm"});
    if (key == "name")
      t.name = words.take();
    else if (key == "label")
      t.label = words.take();
    else if (key == "default")
      t.defaults = {std::to_string(std::stoi(words.take()))};
    else if (key == "parmtag")
      readTag(words, t);
    else {
      t.fields.push_back(readParm(words));
      const std::string& name = t.fields.back().name;
      if (std::count(name.begin(), name.end(), '#') != 1)
        throw std::invalid_argument(name + " of a multiparm has no number");
      reached = 4;  // any number of fields
    }
  }
  words.expect('}');
  t.type = "multiparm";
  return t;
}

void body(Words& words, std::vector<PRM_Template>& list, const std::string& folder) {
  while (!words.isBrace('}')) {
    const std::string kind = words.take();
    if (kind == "name" || kind == "label") {
      words.take();
    } else if (kind == "grouptag") {
      block(words);
    } else if (kind == "parm" || kind == "multiparm") {
      list.push_back(kind == "parm" ? readParm(words) : readMultiparm(words));
      list.back().folder = folder;
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
