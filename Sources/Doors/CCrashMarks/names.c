#include "CCrashMarks.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Defined by the Swift runtime.
extern char *swift_demangle(
  const char *mangled, size_t length, char *output, size_t *size, uint32_t flags)
  __attribute__((weak));

// Returns the name of the function at an offset, from the symbol table of an executable, or NULL.
static const char *find(const char *file, size_t size, uint64_t offset) {
  const Elf64_Ehdr *head = (const void *)file;
  if (size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return NULL;
  if (head->e_shoff > size || head->e_shnum * sizeof(Elf64_Shdr) > size - head->e_shoff) return NULL;
  const Elf64_Shdr *sections = (const void *)(file + head->e_shoff);
  for (int index = 0; index < head->e_shnum; index++) {
    const Elf64_Shdr *table = &sections[index];
    if (table->sh_type != SHT_SYMTAB || table->sh_link >= head->e_shnum) continue;
    const Elf64_Shdr *texts = &sections[table->sh_link];
    if (table->sh_offset > size || table->sh_size > size - table->sh_offset) return NULL;
    if (texts->sh_offset > size || texts->sh_size > size - texts->sh_offset) return NULL;
    const Elf64_Sym *symbols = (const void *)(file + table->sh_offset);
    for (size_t place = 0; place < table->sh_size / sizeof *symbols; place++) {
      const Elf64_Sym *symbol = &symbols[place];
      if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_name >= texts->sh_size) continue;
      if (offset >= symbol->st_value && offset - symbol->st_value < symbol->st_size)
        return file + texts->sh_offset + symbol->st_name;
    }
  }
  return NULL;
}

int reactord_function_name(uint64_t offset, char *name, size_t size) {
  int descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  struct stat status;
  char *file = MAP_FAILED;
  if (fstat(descriptor, &status) == 0)
    file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  close(descriptor);
  if (file == MAP_FAILED) return 0;
  const char *symbol = find(file, (size_t)status.st_size, offset);
  if (symbol != NULL) {
    char *plain = swift_demangle ? swift_demangle(symbol, strlen(symbol), NULL, NULL, 0) : NULL;
    strncpy(name, plain ? plain : symbol, size - 1);
    name[size - 1] = 0;
    free(plain);
  }
  munmap(file, (size_t)status.st_size);
  return symbol != NULL;
}
