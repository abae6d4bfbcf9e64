/** Up to this many books a list is drawn as a whole; of a longer one only what is near the screen. */
export const long = 240;
