// OpenVDB files as seeds; apart from the other seeds, because OpenVDB's headers cost half a minute.
#pragma once

#include <filesystem>

/// A small grid of every type that we read, each with another compression.
void writeVdbSeeds(const std::filesystem::path& folder);
