# Ends the file FILE with its seal: a line with the SHA-256 of all bytes before it (FH_SEAL_TAG in abi.h). The
# program refuses a sealed plugin with any byte changed. A file that has a seal keeps it; one whose seal was
# removed (strip) gets a new one.
file(SIZE "${FILE}" size)
if(size GREATER 86)
  math(EXPR start "${size} - 86")
  file(READ "${FILE}" tail OFFSET ${start} LIMIT 86 HEX)
  string(HEX "\nFOXHUNT-SEAL sha256 " tag)
  if(tail MATCHES "^${tag}")
    return()
  endif()
endif()
file(SHA256 "${FILE}" digest)
file(APPEND "${FILE}" "\nFOXHUNT-SEAL sha256 ${digest}\n")
