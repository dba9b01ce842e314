# cmake -D FILES="…" -D TO=… -P embed.cmake: the files' bytes as C, a row each of hcri_template_files (src/device/template_text.h).
set(arrays "")
set(rows "")
foreach(file ${FILES})
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "static const unsigned char ${name}[] = {${bytes}0};\n")
    string(APPEND rows "    {\"${name}\", ${name}},\n")
endforeach()
file(WRITE ${TO} "#include \"device/template_text.h\"\n\n${arrays}
const hcri_template_file hcri_template_files[] = {\n${rows}    {0, 0},\n};\n")
