// summary. Wants to steer the terminal and the page of whoever reads its result.
console.log("\u001b[2J\u001b[31m<script>document.title='owned'</script>");
export const summary = () => {
  throw new Error(
    '\u001b]0;owned\u0007<img src=x onerror="document.title=`owned`"><script>document.title="owned"</script>',
  );
};
