const query = matchMedia('(min-width: 64rem)');
let current = $state(query.matches);
query.onchange = () => (current = query.matches);

/** Whether there is room for a column beside a list. */
export const wide = {
  get current() {
    return current;
  },
};
