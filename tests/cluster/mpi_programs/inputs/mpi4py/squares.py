from mpi4py.futures import MPIPoolExecutor
if __name__ == '__main__':
    with MPIPoolExecutor() as pool:
        print(list(pool.map(pow, range(20), [2] * 20)))
