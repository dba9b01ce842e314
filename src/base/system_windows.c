#include "base/system.h"

#ifdef _WIN32
#include <errno.h>
#include <io.h>
#include <locale.h>
#include <math.h>
#include <wchar.h>
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <shellapi.h>

#undef open
#undef fopen

/* Files that are open may be renamed and removed, as POSIX has it. */
static const DWORD shared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

static void set_errno(void) {
    switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME: errno = ENOENT; break;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS: errno = EEXIST; break;
    case ERROR_NOT_ENOUGH_MEMORY: errno = ENOMEM; break;
    case ERROR_NOT_SAME_DEVICE: errno = EXDEV; break;
    case ERROR_SHARING_VIOLATION: errno = EBUSY; break;
    default: errno = EACCES;
    }
}

static wchar_t *wide(const char *text) {
    const int size = MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0);
    wchar_t *made = malloc((size_t)(size < 1 ? 1 : size) * sizeof *made);
    if (made == NULL)
        errno = ENOMEM;
    else if (MultiByteToWideChar(CP_UTF8, 0, text, -1, made, size) < 1)
        made[0] = L'\0';
    return made;
}

static char *narrow(const wchar_t *text) {
    const int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *made = malloc((size_t)(size < 1 ? 1 : size));
    if (made == NULL)
        errno = ENOMEM;
    else if (WideCharToMultiByte(CP_UTF8, 0, text, -1, made, size, NULL, NULL) < 1)
        made[0] = '\0';
    return made;
}

static HANDLE open_handle(const wchar_t *path, DWORD access, DWORD creation, DWORD flags) {
    const HANDLE handle = CreateFileW(path, access, shared, NULL, creation, flags, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        set_errno();
    return handle;
}

int hcri_windows_open(const char *path, int flags, ...) {
    const int writes = (flags & (O_WRONLY | O_RDWR)) != 0;
    const DWORD creation = (flags & O_EXCL) != 0    ? CREATE_NEW
                           : (flags & O_CREAT) != 0 ? ((flags & O_TRUNC) != 0 ? CREATE_ALWAYS : OPEN_ALWAYS)
                           : (flags & O_TRUNC) != 0 ? TRUNCATE_EXISTING
                                                    : OPEN_EXISTING;
    wchar_t *name = wide(path);
    if (name == NULL)
        return -1;
    const DWORD access = (flags & O_WRONLY) != 0 ? GENERIC_WRITE : GENERIC_READ | (writes ? GENERIC_WRITE : 0);
    const HANDLE handle = open_handle(name, access | (writes ? DELETE : 0), creation, FILE_ATTRIBUTE_NORMAL);
    free(name);
    return handle == INVALID_HANDLE_VALUE ? -1 : _open_osfhandle((intptr_t)handle, O_BINARY | (writes ? 0 : O_RDONLY));
}

FILE *hcri_windows_fopen(const char *path, const char *mode) {
    wchar_t *name = wide(path), *how = wide(mode);
    FILE *stream = name == NULL || how == NULL ? NULL : _wfopen(name, how);
    free(name);
    free(how);
    return stream;
}

FILE *hcri_windows_tmpfile(void) {
    wchar_t folder[MAX_PATH + 1], name[MAX_PATH + 64];
    if (GetTempPathW(MAX_PATH, folder) == 0) {
        set_errno();
        return NULL;
    }
    static LONG count;
    swprintf(name, MAX_PATH + 64, L"%lshcr-%lu-%ld", folder, GetCurrentProcessId(), InterlockedIncrement(&count));
    const HANDLE handle = open_handle(name, GENERIC_READ | GENERIC_WRITE | DELETE, CREATE_ALWAYS,
                                      FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE);
    const int descriptor = handle == INVALID_HANDLE_VALUE ? -1 : _open_osfhandle((intptr_t)handle, O_BINARY);
    return descriptor < 0 ? NULL : fdopen(descriptor, "wb+");
}

int hcri_stat(const char *path, struct stat *about) { /* which is struct _stat64 with 64-bit offsets */
    wchar_t *name = wide(path);
    const int failed = name == NULL || _wstat64(name, (struct _stat64 *)about) != 0;
    free(name);
    return failed ? -1 : 0;
}

int hcri_windows_access(const char *path, int mode) {
    wchar_t *name = wide(path);
    const int failed = name == NULL || _waccess(name, mode) != 0;
    free(name);
    return failed ? -1 : 0;
}

int hcri_windows_unlink(const char *path) {
    wchar_t *name = wide(path);
    const int failed = name == NULL || _wunlink(name) != 0;
    free(name);
    return failed ? -1 : 0;
}

int hcri_windows_mkdir(const char *path, int mode) {
    (void)mode;
    wchar_t *name = wide(path);
    const int failed = name == NULL || _wmkdir(name) != 0;
    free(name);
    return failed ? -1 : 0;
}

int hcri_windows_rename(const char *from, const char *to) {
    wchar_t *old = wide(from), *name = wide(to);
    const int done =
        old != NULL && name != NULL && MoveFileExW(old, name, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH);
    if (!done)
        set_errno();
    free(old);
    free(name);
    return done ? 0 : -1;
}

int hcri_windows_fsync(int descriptor) { return _commit(descriptor); }

int hcri_windows_fchmod(int descriptor, int mode) {
    (void)descriptor, (void)mode;
    return 0;
}

/* The place in the file moves: descriptors that are read so have one reader. */
ssize_t hcri_windows_pread(int descriptor, void *bytes, size_t count, off_t place) {
    if (_lseeki64(descriptor, place, SEEK_SET) < 0)
        return -1;
    return _read(descriptor, bytes, count > 1u << 30 ? 1u << 30 : (unsigned)count);
}

char *hcri_windows_realpath(const char *path, char *none) {
    (void)none;
    wchar_t *name = wide(path), *whole = name == NULL ? NULL : _wfullpath(NULL, name, 0);
    char *made = whole == NULL ? NULL : narrow(whole);
    free(name);
    free(whole);
    return made;
}

void hcri_system_begin(int *argc, char ***argv) {
    int count = 0;
    wchar_t **words = CommandLineToArgvW(GetCommandLineW(), &count);
    char **made = words == NULL ? NULL : calloc((size_t)count + 1, sizeof *made);
    for (int i = 0; made != NULL && i < count; i++)
        if ((made[i] = narrow(words[i])) == NULL)
            made = NULL;
    if (made != NULL) {
        *argc = count;
        *argv = made;
    }
    _setmode(STDIN_FILENO, O_BINARY);
    _setmode(STDOUT_FILENO, O_BINARY);
    _setmode(STDERR_FILENO, O_BINARY);
    SetConsoleOutputCP(CP_UTF8);
}

void *hcri_aligned(size_t line, size_t bytes) { /* what _aligned_malloc returns isn't for free */
    (void)line;
    return malloc(bytes);
}

void hcri_memory_file_begin(hcri_memory_file *file) { file->stream = hcri_windows_tmpfile(); }

int hcri_memory_file_end(hcri_memory_file *file) {
    const int failed = fflush(file->stream) != 0 || ferror(file->stream) || fseeko(file->stream, 0, SEEK_END) != 0;
    const off_t size = failed ? -1 : ftello(file->stream);
    file->bytes = size < 0 ? NULL : malloc((size_t)size + 1);
    if (file->bytes != NULL) {
        rewind(file->stream);
        file->size = fread(file->bytes, 1, (size_t)size, file->stream);
        file->bytes[file->size] = '\0';
    }
    fclose(file->stream);
    return file->bytes == NULL ? -1 : 0;
}

/* The locale of this thread becomes "C" for a moment. */
typedef struct plain {
    int threads;
    char before[64];
} plain;

static plain begin_plain(void) {
    plain at = {.threads = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE)};
    snprintf(at.before, sizeof at.before, "%s", setlocale(LC_NUMERIC, NULL));
    setlocale(LC_NUMERIC, "C");
    return at;
}

static void end_plain(const plain *at) {
    setlocale(LC_NUMERIC, at->before);
    _configthreadlocale(at->threads);
}

double hcri_plain_strtod(const char *text) {
    const plain at = begin_plain();
    const double value = strtod(text, NULL);
    end_plain(&at);
    return value;
}

int hcri_plain_format(char *text, size_t capacity, const char *format, va_list arguments) {
    const plain at = begin_plain();
    const int length = vsnprintf(text, capacity, format, arguments);
    end_plain(&at);
    return length;
}

static int facts_of(const char *path, BY_HANDLE_FILE_INFORMATION *facts) {
    wchar_t *name = wide(path);
    const HANDLE handle =
        name == NULL ? INVALID_HANDLE_VALUE : open_handle(name, 0, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL);
    free(name);
    if (handle == INVALID_HANDLE_VALUE)
        return 0;
    const int found = GetFileInformationByHandle(handle, facts) != 0;
    CloseHandle(handle);
    return found;
}

int hcri_is_same_file(const char *a, const char *b) {
    BY_HANDLE_FILE_INFORMATION one, other;
    return facts_of(a, &one) && facts_of(b, &other) && one.dwVolumeSerialNumber == other.dwVolumeSerialNumber &&
           one.nFileIndexHigh == other.nFileIndexHigh && one.nFileIndexLow == other.nFileIndexLow;
}

int hcri_is_mount(const char *path) {
    (void)path;
    return 0;
}

int hcri_terminal_width(void) {
    CONSOLE_SCREEN_BUFFER_INFO about;
    return GetConsoleScreenBufferInfo(GetStdHandle(STD_ERROR_HANDLE), &about) ? about.dwSize.X : 80;
}

size_t hcri_address_space(void) { return SIZE_MAX; }

int hcri_has_address_space(size_t count) {
    (void)count;
    return 1;
}

/* Functions of Windows's own C library in place of mingw-w64's. There, fma rounds twice, and sine and cosine are the
 * processor's, which are off by more than units in the last place near multiples of π, and wrong beyond 2^63. */
typedef void (*function)(void);

static function of_windows(function *known, const char *name) {
    function found = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (found == NULL) {
        found = (function)GetProcAddress(LoadLibraryW(L"ucrtbase.dll"), name);
        __atomic_store_n(known, found, __ATOMIC_RELAXED);
    }
    return found;
}

double fma(double x, double y, double z) {
    static function known;
    return ((double (*)(double, double, double))of_windows(&known, "fma"))(x, y, z);
}

double sin(double x) {
    static function known;
    return ((double (*)(double))of_windows(&known, "sin"))(x);
}

double cos(double x) {
    static function known;
    return ((double (*)(double))of_windows(&known, "cos"))(x);
}

#endif
