return "beside"
