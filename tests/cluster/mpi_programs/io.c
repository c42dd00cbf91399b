/* MPI-IO on one file, argv[1], that all hosts see: by offset, through views, with own and shared file pointers. */
#include "show.h"

enum { kBlock = 1000 };
static int rank, size;
static int block[kBlock], back[kBlock];
static MPI_File file;

/* Other contents than before, once all have read those. */
static void prepare(int salt) {
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < kBlock; ++i) {
    block[i] = 100000 * salt + 1000 * rank + i;
    back[i] = -1;
  }
}

static MPI_Offset of_rank(int r) { return (MPI_Offset)r * (MPI_Offset)sizeof block; }
static int next(void) { return (rank + 1) % size; }

/* All see what was written by others: sync, barrier, sync, as the standard wants it without atomic mode. */
static void settle(void) {
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
}

static void show_block(const char* name) { show_one(name, checksum(back, sizeof back)); }

static void show_file(const char* name, const char* path) {
  int sum = 0;
  settle();
  if (rank == 0) {
    char buffer[4096];
    size_t count;
    FILE* bytes = fopen(path, "rb");
    if (bytes == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
    while ((count = fread(buffer, 1, sizeof buffer, bytes)) > 0) sum = (31 * sum + checksum(buffer, count)) & 0xffffff;
    fclose(bytes);
  }
  show_one(name, sum);
}

static void by_offset(void) {
  MPI_Request request;
  prepare(1);
  MPI_File_write_at(file, of_rank(rank), block, kBlock, MPI_INT, MPI_STATUS_IGNORE);
  settle();
  MPI_File_read_at(file, of_rank(next()), back, kBlock, MPI_INT, MPI_STATUS_IGNORE);
  show_block("write_at, read_at");
  prepare(2);
  MPI_File_write_at_all(file, of_rank(next()), block, kBlock, MPI_INT, MPI_STATUS_IGNORE);
  settle();
  MPI_File_read_at_all(file, of_rank(rank), back, kBlock, MPI_INT, MPI_STATUS_IGNORE);
  show_block("write_at_all, read_at_all");
  prepare(3);
  MPI_File_iwrite_at(file, of_rank(rank), block, kBlock, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  settle();
  MPI_File_iread_at(file, of_rank(next()), back, kBlock, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  show_block("iwrite_at, iread_at");
  prepare(4);
  MPI_File_write_at_all_begin(file, of_rank(rank), block, kBlock, MPI_INT);
  MPI_File_write_at_all_end(file, block, MPI_STATUS_IGNORE);
  settle();
  MPI_File_read_at_all_begin(file, of_rank(next()), back, kBlock, MPI_INT);
  MPI_File_read_at_all_end(file, back, MPI_STATUS_IGNORE);
  show_block("write_at_all in two steps");
}

/* Every rank sees each size-th piece of ten numbers. */
static void through_a_view(void) {
  MPI_Datatype pieces;
  MPI_Offset position = 0;
  MPI_Request request;
  MPI_Type_vector(kBlock / 10, 10, 10 * size, MPI_INT, &pieces);
  MPI_Type_commit(&pieces);
  MPI_File_set_view(file, (MPI_Offset)(10 * sizeof(int)) * rank, MPI_INT, pieces, "native", MPI_INFO_NULL);
  prepare(5);
  MPI_File_write_all(file, block, kBlock, MPI_INT, MPI_STATUS_IGNORE);
  settle();
  MPI_File_get_position(file, &position);
  show_one("position", (int)position);
  MPI_File_seek(file, kBlock / 2, MPI_SEEK_SET);
  MPI_File_read(file, back, kBlock / 2, MPI_INT, MPI_STATUS_IGNORE);
  show_block("write_all, seek, read");
  prepare(6);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_iwrite_all(file, block, kBlock, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_read_all(file, back, kBlock, MPI_INT, MPI_STATUS_IGNORE);
  show_block("iwrite_all, read_all");
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_Type_free(&pieces);
}

/* A matrix of 12 columns, dealt out in blocks of two columns. */
static void dealt_out(void) {
  enum { kRows = 8, kColumns = 12 };
  int extents[2] = {kRows, kColumns}, grid[2] = {1, size}, mine = 0;
  int ways[2] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC}, blocks[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
  MPI_Datatype part;
  MPI_Type_create_darray(size, rank, 2, extents, ways, blocks, grid, MPI_ORDER_C, MPI_INT, &part);
  MPI_Type_commit(&part);
  MPI_Type_size(part, &mine);
  MPI_File_set_view(file, 0, MPI_INT, part, "native", MPI_INFO_NULL);
  prepare(7);
  MPI_File_write_all(file, block, mine / (int)sizeof(int), MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  settle();
  if (rank == size - 1) MPI_File_read_at(file, 0, back, kRows * kColumns, MPI_INT, MPI_STATUS_IGNORE);
  show("distributed array", back, rank == size - 1 ? kColumns : 0);
  MPI_Type_free(&part);
}

static int ascending(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

/* One pointer for all ranks on all hosts: no two get the same place, and "ordered" is by rank. */
static void with_a_shared_pointer(void) {
  const int mine[2] = {rank, rank};
  int seen[128] = {0};
  MPI_Offset position = 0;
  settle();
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  for (int round = 0; round < 3; ++round) MPI_File_write_shared(file, mine, 2, MPI_INT, MPI_STATUS_IGNORE);
  settle();
  MPI_File_get_position_shared(file, &position);
  show_one("shared position", (int)position);
  MPI_File_read_at(file, 0, seen, 6 * size, MPI_INT, MPI_STATUS_IGNORE);
  qsort(seen, (size_t)(6 * size), sizeof(int), ascending);
  show("write_shared", seen, rank == 1 ? 6 * size : 0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  prepare(8);
  MPI_File_write_ordered(file, block, rank + 1, MPI_INT, MPI_STATUS_IGNORE);
  settle();
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_read_ordered(file, back, size - rank, MPI_INT, MPI_STATUS_IGNORE);
  show("write_ordered, read_ordered", back, size - rank);
}

/* Only what is settled is the same for all: while one rank of Open MPI preallocates, others see sizes between. */
static void show_size(const char* name) {
  MPI_Offset bytes = 0;
  settle();
  MPI_File_get_size(file, &bytes);
  show_one(name, (int)bytes);
}

static void sizes(void) {
  MPI_File_set_size(file, 1000000);
  show_size("set_size");
  MPI_File_preallocate(file, 2000000);
  show_size("preallocate");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 2 || size > 20) MPI_Abort(MPI_COMM_WORLD, 2);
  const int code = MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  show_one("open", code == MPI_SUCCESS);
  if (code != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 4);
  by_offset();
  show_file("the file", argv[1]);
  through_a_view();
  show_file("the file", argv[1]);
  dealt_out();
  with_a_shared_pointer();
  sizes();
  MPI_File_close(&file);
  if (rank == 0) MPI_File_delete(argv[1], MPI_INFO_NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  const int gone = MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  show_one("open what is deleted", gone == MPI_SUCCESS);
  MPI_Finalize();
  return 0;
}
