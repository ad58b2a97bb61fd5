#error "inside Houdini the number of threads is Houdini's to set"
