/* C += alpha A B for one type of numbers, NUMBER, under the name MULTIPLY with matrices of type MATRIX: included once
 * for each. Panels of B are copied so that its rows have no gaps, and four rows of C take each of them at once. */
enum { HCRI_JOIN(MULTIPLY, _inner) = 64, HCRI_JOIN(MULTIPLY, _columns) = 64 };

static void HCRI_JOIN(MULTIPLY, _panel)(size_t rows, size_t columns, size_t inner, NUMBER alpha, MATRIX A,
                                        const NUMBER *panel, NUMBER *C, size_t lead) {
    size_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        NUMBER *C0 = C + i * lead, *C1 = C0 + lead, *C2 = C1 + lead, *C3 = C2 + lead;
        for (size_t k = 0; k < inner; k++) {
            const NUMBER *a = A.a + i * A.by_row + k * A.by_column, *b = panel + k * HCRI_JOIN(MULTIPLY, _columns);
            const NUMBER a0 = alpha * a[0], a1 = alpha * a[A.by_row], a2 = alpha * a[2 * A.by_row],
                         a3 = alpha * a[3 * A.by_row];
#pragma omp simd
            for (size_t j = 0; j < columns; j++) {
                C0[j] += a0 * b[j];
                C1[j] += a1 * b[j];
                C2[j] += a2 * b[j];
                C3[j] += a3 * b[j];
            }
        }
    }
    for (; i < rows; i++)
        for (size_t k = 0; k < inner; k++) {
            const NUMBER a = alpha * A.a[i * A.by_row + k * A.by_column],
                         *b = panel + k * HCRI_JOIN(MULTIPLY, _columns);
#pragma omp simd
            for (size_t j = 0; j < columns; j++)
                C[i * lead + j] += a * b[j];
        }
}

static void MULTIPLY(hcri_dense_shape shape, NUMBER alpha, MATRIX A, MATRIX B, NUMBER *C, size_t lead) {
    enum { INNER = HCRI_JOIN(MULTIPLY, _inner), COLUMNS = HCRI_JOIN(MULTIPLY, _columns) };
    NUMBER panel[INNER * COLUMNS];
    for (size_t j = 0; j < shape.columns; j += COLUMNS)
        for (size_t k = 0; k < shape.inner; k += INNER) {
            const size_t columns = shape.columns - j < COLUMNS ? shape.columns - j : COLUMNS;
            const size_t inner = shape.inner - k < INNER ? shape.inner - k : INNER;
            for (size_t p = 0; p < inner; p++)
                for (size_t q = 0; q < columns; q++)
                    panel[p * COLUMNS + q] = B.a[(k + p) * B.by_row + (j + q) * B.by_column];
            MATRIX left = A;
            left.a += k * A.by_column;
            HCRI_JOIN(MULTIPLY, _panel)(shape.rows, columns, inner, alpha, left, panel, C + j, lead);
        }
}

#undef MULTIPLY
#undef MATRIX
#undef NUMBER
