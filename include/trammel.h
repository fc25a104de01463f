/// Where the headers were before 0.1.0.
#error "the header is <trammel/trammel.h>, its neighbours are in the same folder"
