/** A list of so many books is always there as a whole; of a longer one only what is near. */
export const long = 240;
