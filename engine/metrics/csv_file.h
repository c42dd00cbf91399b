// A CSV file of numbers by step: every row is one write, so readers never see half a row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ds {

class CsvFile {
 public:
  // Creates the file with the header if it is not there. Otherwise keeps the rows whose first column is at most
  // `last_step` and drops the rest (rows of undone steps, half-written rows): a rewrite by rename, so a crash loses
  // nothing. Throws kInternal naming the file.
  CsvFile(const std::string& path, const std::string& header, int64_t last_step);
  ~CsvFile();
  CsvFile(const CsvFile&) = delete;
  CsvFile& operator=(const CsvFile&) = delete;

  void append(const std::string& row);  // without newline

 private:
  std::string path_;
  int fd_ = -1;
};

std::string csv_number(double value);  // 9 significant digits

}  // namespace ds
