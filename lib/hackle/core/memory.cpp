#include <hackle/core/memory.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace hackle {

double availableMemory() {
  const double all =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return all;
  return std::min(all, static_cast<double>(limit.rlim_cur));
}

}  // namespace hackle
