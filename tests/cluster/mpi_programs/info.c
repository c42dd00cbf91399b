/* What a program can learn about the world it is in. */
#include "show.h"

/* A text of every rank, in the order of the ranks. */
static void show_text(const char* name, const char* text) {
  char texts[64][256], mine[256] = "";
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  snprintf(mine, sizeof mine, "%s", text ? text : "-");
  MPI_Gather(mine, 256, MPI_CHAR, texts, 256, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  printf("%s:", name);
  for (int r = 0; r < size; ++r) printf(" [%s]", texts[r]);
  printf("\n");
  fflush(stdout);
}

static void show_attribute(const char* name, int key) {
  int found;
  int* value;
  MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &found);
  show_one(name, found ? *value : -1);
}

static void show_info(const char* key) {
  char name[64], value[256] = "";
  int found = 0;
  MPI_Info_get(MPI_INFO_ENV, key, sizeof value - 1, value, &found);
  snprintf(name, sizeof name, "info %s", key);
  show_text(name, found ? value : NULL);
}

int main(int argc, char** argv) {
  char name[MPI_MAX_PROCESSOR_NAME];
  int length, rank;
  MPI_Comm parent, host;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Get_processor_name(name, &length);
  show_text("processor", name);
  show_text("first argument", argc > 1 ? argv[1] : NULL);
  show_attribute("universe size", MPI_UNIVERSE_SIZE);
  show_attribute("application", MPI_APPNUM);
  show_attribute("largest tag", MPI_TAG_UB);
  show_attribute("one clock", MPI_WTIME_IS_GLOBAL);
  MPI_Comm_get_parent(&parent);
  show_one("no parent", parent == MPI_COMM_NULL);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_size(host, &length);
  show_one("ranks on the host", length);
  MPI_Comm_free(&host);
  for (const char** key = (const char*[]){"argv", "maxprocs", "soft", "host", "arch", "wdir", "thread_level",
                                          "ompi_num_apps", "ompi_first_rank", "ompi_np", NULL};
       *key; ++key)
    show_info(*key);
  for (const char** key = (const char*[]){"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                                          "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_NODE_RANK", "OMPI_UNIVERSE_SIZE",
                                          "OMPI_APP_CTX_NUM_PROCS", "OMPI_FIRST_RANKS", "OMPI_NUM_APP_CTX", "PWD", NULL};
       *key; ++key)
    show_text(*key, getenv(*key));
  MPI_Finalize();
  return 0;
}
