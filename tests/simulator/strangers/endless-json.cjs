const endless = {
  toJSON() {
    return JSON.stringify(this);
  },
};
try {
  JSON.stringify(endless);
} catch (error) {
  console.log(`${error}`);
}
