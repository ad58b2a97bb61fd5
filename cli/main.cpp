#include <hackle/io/file.h>
#include <hackle/ops/registry.h>

#include <cstdio>

using namespace hackle;

int main(int argc, char** argv) {
  try {
    if (argc < 2) throw Error(ErrorCode::Usage, "no operator given");
    Context context;
    const Operator& op = findOperator(argv[1]);
    std::vector<Item> items;
    std::string out;
    for (int i = 2; i < argc; ++i) {
      if (std::string(argv[i]) == "-o" && i + 1 < argc)
        out = argv[++i];
      else
        items.emplace_back(readGeometry(argv[i], context));
    }
    const Run run = runOperator(op, Inputs(items), {}, context);
    if (!out.empty()) writeGeometry(out, run.outputs.geometry(), context);
    std::puts(makeReport(op, run, context).toJson().c_str());
    return 0;
  } catch (const Error& e) {
    std::fprintf(stderr, "%s\n%s\n", e.what(), e.remedy().c_str());
    return exitCode(e.code());
  }
}
