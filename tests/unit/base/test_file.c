/* Whole files: read in one go, written whole or not at all. */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"

static char folder[] = "/tmp/hcr-file-XXXXXX";

static int setup(void **state) {
    (void)state;
    return mkdtemp(folder) == NULL;
}

static const char *in_folder(const char *name) {
    static char path[2][320];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static size_t files_in_folder(void) {
    size_t count = 0;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static int teardown(void **state) {
    (void)state;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;)
        if (entry->d_name[0] != '.')
            unlink(in_folder(entry->d_name));
    if (directory != NULL)
        closedir(directory);
    return rmdir(folder);
}

static void expect_content(const char *path, const void *bytes, size_t size) {
    char *read = NULL;
    size_t length = 0;
    assert_int_equal(hcri_file_read(path, &hcri_default_allocator, &read, &length, NULL), HCR_OK);
    assert_int_equal(length, size);
    assert_memory_equal(read, bytes, size);
    assert_int_equal(read[size], 0);
    hcri_release(&hcri_default_allocator, read);
}

static void test_round_trip(void **state) {
    (void)state;
    const size_t sizes[] = {0, 1, 65535, 65536, 65537, 300001};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        char *bytes = malloc(sizes[k] + 1);
        assert_non_null(bytes);
        for (size_t i = 0; i < sizes[k]; i++)
            bytes[i] = (char)(i * 37 + k);
        assert_int_equal(hcri_file_write(in_folder("data"), bytes, sizes[k], NULL), HCR_OK);
        expect_content(in_folder("data"), bytes, sizes[k]);
        free(bytes);
    }
    assert_int_equal(files_in_folder(), 1);
    unlink(in_folder("data"));
}

static void test_reading_fails(void **state) {
    (void)state;
    char *bytes = NULL;
    size_t size;
    hcr_error error = {0};
    assert_int_equal(hcri_file_read(in_folder("absent"), &hcri_default_allocator, &bytes, &size, &error),
                     HCR_ERROR_FILE);
    assert_non_null(strstr(error.text, "absent"));
    assert_int_equal(hcri_file_read(folder, &hcri_default_allocator, &bytes, &size, &error), HCR_ERROR_FILE);
    assert_null(bytes);
}

static void *never(void *context, size_t bytes) {
    size_t *left = context;
    return *left == 0 ? NULL : (--*left, malloc(bytes));
}

static void release(void *context, void *memory) {
    (void)context;
    free(memory);
}

static void test_no_memory(void **state) {
    (void)state;
    char content[200000] = "x";
    assert_int_equal(hcri_file_write(in_folder("large"), content, sizeof content, NULL), HCR_OK);
    for (size_t k = 0; k < 2; k++) { /* the first and a later buffer */
        size_t left = k;
        const hcr_allocator allocator = {never, release, &left};
        char *bytes = NULL;
        size_t size;
        assert_int_equal(hcri_file_read(in_folder("large"), &allocator, &bytes, &size, NULL), HCR_ERROR_MEMORY);
        assert_null(bytes);
    }
    unlink(in_folder("large"));
}

static void test_abandoned_writing_leaves_the_old_file(void **state) {
    (void)state;
    assert_int_equal(hcri_file_write(in_folder("kept"), "old", 3, NULL), HCR_OK);
    hcri_writer writer;
    assert_int_equal(hcri_writer_open(&writer, in_folder("kept"), NULL), HCR_OK);
    assert_int_equal(fwrite("newer", 1, 5, writer.stream), 5);
    assert_int_equal(files_in_folder(), 2);
    hcri_writer_abandon(&writer);
    hcri_writer_abandon(&writer);
    expect_content(in_folder("kept"), "old", 3);
    assert_int_equal(files_in_folder(), 1);
    unlink(in_folder("kept"));
}

static void test_modes(void **state) {
    (void)state;
    const mode_t mask = umask(027);
    assert_int_equal(hcri_file_write(in_folder("mode"), "a", 1, NULL), HCR_OK);
    struct stat file;
    assert_int_equal(stat(in_folder("mode"), &file), 0);
    assert_int_equal(file.st_mode & 0777, 0640);
    assert_int_equal(chmod(in_folder("mode"), 0600), 0);
    assert_int_equal(hcri_file_write(in_folder("mode"), "b", 1, NULL), HCR_OK);
    assert_int_equal(stat(in_folder("mode"), &file), 0);
    assert_int_equal(file.st_mode & 0777, 0600);
    assert_int_equal(umask(mask), 027);
    unlink(in_folder("mode"));
}

static void test_links_stay_links(void **state) {
    (void)state;
    assert_int_equal(hcri_file_write(in_folder("target"), "old", 3, NULL), HCR_OK);
    assert_int_equal(symlink("target", in_folder("link")), 0);
    assert_int_equal(hcri_file_write(in_folder("link"), "new", 3, NULL), HCR_OK);
    struct stat link;
    assert_int_equal(lstat(in_folder("link"), &link), 0);
    assert_true(S_ISLNK(link.st_mode));
    expect_content(in_folder("target"), "new", 3);
    unlink(in_folder("link"));
    unlink(in_folder("target"));
}

/* A device must not be replaced by a file, even when the user may do that. */
static void test_devices(void **state) {
    (void)state;
    assert_int_equal(hcri_file_write("/dev/null", "abc", 3, NULL), HCR_OK);
    struct stat device;
    assert_int_equal(stat("/dev/null", &device), 0);
    assert_true(S_ISCHR(device.st_mode));
    hcr_error error = {0};
    if (stat("/dev/full", &device) == 0) {
        assert_int_equal(hcri_file_write("/dev/full", "abc", 3, &error), HCR_ERROR_FILE);
        assert_non_null(strstr(error.text, "/dev/full"));
    }
}

static void test_writing_fails(void **state) {
    (void)state;
    hcr_error error = {0};
    assert_int_equal(hcri_file_write(in_folder("no/such"), "a", 1, &error), HCR_ERROR_FILE);
    assert_non_null(strstr(error.text, "no/such"));
    assert_int_equal(hcri_file_write(folder, "a", 1, &error), HCR_ERROR_FILE);
    assert_int_equal(hcri_file_write("", "a", 1, &error), HCR_ERROR_FILE);
    assert_int_equal(files_in_folder(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_reading_fails),
        cmocka_unit_test(test_no_memory),  cmocka_unit_test(test_abandoned_writing_leaves_the_old_file),
        cmocka_unit_test(test_modes),      cmocka_unit_test(test_links_stay_links),
        cmocka_unit_test(test_devices),    cmocka_unit_test(test_writing_fails)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
