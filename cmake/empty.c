/* A shared library needs a source of its own; all of this one comes from the folders of src. */
typedef int hcri_nothing;
